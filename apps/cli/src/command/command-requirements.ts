import type { Right } from '@phaseline/identity';

/**
 * What a command needs:
 * - `route`: it asks the server, so the caller needs the right of this route
 * - `database`: it works on the database directly. The operating-system user who has the credentials of the database is an administrator
 *   there; the right says what the command amounts to, and for whom a copy of the credentials is meant
 * - `none`: it uses only files and programs of this machine
 */
export type CommandRequirement = { readonly route: string } | { readonly database: Right } | 'none';

const job = (rest = '', method = 'GET'): CommandRequirement => ({ route: `${method} /v1/jobs/:jobId${rest}` });
const route = (name: string): CommandRequirement => ({ route: name });
const database = (right: Right): CommandRequirement => ({ database: right });

/** What every command needs, by its name. A test compares the names with the commands. */
export const commandRequirements: Readonly<Record<string, CommandRequirement>> = {
  demo: 'none',
  up: 'none',
  rehearse: 'none',
  migrate: database('system:operate'),
  submit: route('POST /v1/jobs'),
  list: route('GET /v1/jobs'),
  status: job(),
  watch: job('/events'),
  events: job('/events'),
  state: job('/state'),
  'files list': job('/files'),
  'files cat': job('/files/*'),
  'files pull': job('/files/*'),
  'files put': job('/files/*', 'PUT'),
  'files delete': job('/files/*', 'DELETE'),
  cancel: job('/cancel', 'POST'),
  erase: job('/erase', 'POST'),
  'repository show': job('/repository'),
  'repository patch': job('/repository/patch', 'POST'),
  'repository branch': job('/repository/outputs', 'POST'),
  'repository pull-request': job('/repository/outputs', 'POST'),
  pause: job('/pause', 'POST'),
  resume: job('/resume', 'POST'),
  retry: job('/retry', 'POST'),
  steer: job('/steer', 'POST'),
  approve: job('/approve', 'POST'),
  answer: job('/answer', 'POST'),
  inbox: route('GET /v1/inbox'),
  refuse: job('/refuse', 'POST'),
  upgrade: job('/upgrade', 'POST'),
  ps: route('GET /v1/processes'),
  queues: route('GET /v1/queues'),
  'dead-letters': route('GET /v1/dead-letters'),
  'dead-letters retry': route('POST /v1/dead-letters/:id/retry'),
  'dead-letters discard': route('POST /v1/dead-letters/:id/discard'),
  'producers create': database('principals:manage'),
  tenants: route('GET /v1/tenants'),
  'tenants set': route('PUT /v1/tenants/:tenant'),
  login: route('POST /v1/login-links'),
  'secrets list': route('GET /v1/secrets'),
  'secrets set': route('PUT /v1/secrets/:name'),
  'secrets remove': route('DELETE /v1/secrets/:name'),
  diff: job('/diff'),
  prompt: job('/phases/:phase/steps/:step/prompt'),
  fork: job('/fork', 'POST'),
  compare: job('/compare/:otherJobId'),
  'snapshots check': database('audit:read'),
  'snapshots delete': database('system:operate'),
  'projections list': database('system:operate'),
  'projections rebuild': database('system:operate'),
  'projections check': database('audit:read'),
  costs: route('GET /v1/costs'),
  'graph query': database('system:operate'),
  'graph load': database('system:operate'),
  'audit verify': database('audit:read'),
  'audit anchor': database('system:operate'),
  'audit key': 'none',
  'audit export': database('audit:read'),
  backup: database('system:operate'),
  restore: database('system:operate'),
  'retention run': database('retention:manage'),
  'retention status': database('retention:manage'),
  'retention set': database('retention:manage'),
  'holds place': database('holds:manage'),
  'holds release': database('holds:manage'),
  'holds list': database('holds:manage'),
  doctor: database('system:operate'),
  'encryption rewrap': database('system:operate'),
  'blobs collect': database('system:operate'),
  'agents list': 'none',
  'agents validate': 'none',
  'agents show': 'none',
  'agents schema': 'none',
  completion: 'none',
};
