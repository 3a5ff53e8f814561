/**
 * Where a right applies. A `tenant` right is granted for one tenant or for all. A `system` right concerns what tenants share, so
 * only a role that is granted for all tenants contains it.
 */
type RightScope = 'tenant' | 'system';

interface RightDefinition {
  readonly scope: RightScope;
  /** What the right allows, as the end of the sentence "A principal with this right may …". */
  readonly allows: string;
}

/** Every right. Routes, queue commands and CLI commands declare the one that they need. */
export const rightDefinitions = {
  'jobs:read': { scope: 'tenant', allows: 'see jobs, their events, phases, tool calls, prompts and costs' },
  'jobs:submit': { scope: 'tenant', allows: 'submit and fork jobs' },
  'jobs:control': { scope: 'tenant', allows: 'pause, resume, retry, steer, upgrade and cancel jobs' },
  'jobs:redecide': {
    scope: 'tenant',
    allows:
      'have recorded jobs decided again with other settings or by another release, and see the differences and costs',
  },
  'jobs:erase': { scope: 'tenant', allows: 'erase the content of encrypted jobs' },
  'files:read': { scope: 'tenant', allows: 'read the files of jobs and the changes that they made to repositories' },
  'files:write': { scope: 'tenant', allows: 'change the files of running jobs' },
  'repository:publish': { scope: 'tenant', allows: 'push branches and open pull requests with the changes of jobs' },
  'approvals:decide': { scope: 'tenant', allows: 'approve, amend and refuse tool calls' },
  'plans:approve': { scope: 'tenant', allows: 'reply to plans that are made for other persons' },
  'questions:answer': { scope: 'tenant', allows: 'answer questions of agents' },
  'inbox:read': { scope: 'tenant', allows: 'see what waits for a person' },
  'guards:read': { scope: 'tenant', allows: 'see the guards of tenants and of the installation, and how they changed' },
  'guards:write': { scope: 'tenant', allows: 'add versions of guards, as drafts' },
  'guards:backtest': {
    scope: 'tenant',
    allows: 'run stored guards on recorded calls, and record what they would have decided',
  },
  'guards:promote': {
    scope: 'tenant',
    allows: 'put versions of guards that another person wrote into shadow and production',
  },
  'guards:rollback': { scope: 'tenant', allows: 'take versions of guards that another person wrote out of production' },
  'guards:override': { scope: 'tenant', allows: 'override guards of tenants and agents in single jobs' },
  'guards:override-system': { scope: 'tenant', allows: 'override guards of the installation in single jobs' },
  'learning:promote': {
    scope: 'tenant',
    allows: 'let agents of other jobs read learning traces of jobs that ran for another person',
  },
  'audit:read': { scope: 'system', allows: 'export and verify the log' },
  'agents:read': { scope: 'tenant', allows: 'see the agents, workflows and model profiles' },
  'processes:read': { scope: 'tenant', allows: 'see the processes of the system and their leases' },
  'metrics:read': { scope: 'tenant', allows: 'see the metrics of tenants' },
  'queues:read': { scope: 'system', allows: 'see queues, their history and dead letters' },
  'queues:control': { scope: 'system', allows: 'retry and discard dead letters, and send messages' },
  'tenants:read': { scope: 'tenant', allows: 'see the load and the limits of tenants' },
  'tenants:write': { scope: 'system', allows: 'set the limits of tenants' },
  'principals:read': { scope: 'tenant', allows: 'see principals, their roles and the prefixes of their keys' },
  'principals:manage': { scope: 'system', allows: 'create, disable and enable principals, and grant and revoke roles' },
  'keys:manage': { scope: 'system', allows: 'create and revoke keys of any principal' },
  'secrets:use': { scope: 'tenant', allows: 'list the names of secrets' },
  'secrets:manage': { scope: 'tenant', allows: 'store and remove secrets' },
  'retention:manage': {
    scope: 'tenant',
    allows: 'set how long files of ended jobs are kept, and remove them after that time',
  },
  'holds:manage': { scope: 'tenant', allows: 'place and release legal holds' },
  'system:operate': { scope: 'system', allows: 'run, check, back up and migrate the system' },
  'act:on-behalf-of': { scope: 'tenant', allows: 'act for another principal, with the rights that both have' },
} as const satisfies Readonly<Record<string, RightDefinition>>;

export type Right = keyof typeof rightDefinitions;

/** The names of all rights. */
export const rights = Object.keys(rightDefinitions) as readonly Right[];
