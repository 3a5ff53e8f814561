import { agentDefinitionSchema, workflowSchema, type AgentDefinition, type Budgets } from '@phaseline/domain';
import type { AgentSource, ResolvedAgent } from '@phaseline/orchestration';
import { defaultWorkflow, type Roll } from '@phaseline/harness';
import { buildGuards, type GuardedBy } from './sim-guards.js';

/** Size of a job. It is encoded in the name of the agent, so that the model knows it from the prompt alone. */
export interface Plan {
  /** Number of tactical phases. */
  readonly rounds: number;
  /** Maximum number of todos per tactical phase. */
  readonly todos: number;
}

export interface SimJob {
  /** Name of its agent, which encodes its plan. */
  readonly agent: string;
  readonly tenant: string;
  readonly budgets: Budgets;
  readonly priority: number;
  readonly idempotencyKey: string;
  readonly submitAfterMs: number;
  /** Tools that need approval by a person. */
  readonly approvals: readonly string[];
  /** Whether its agent asks a person in each tactical phase. */
  readonly asks: boolean;
  /** Whether people edit its files while it runs. */
  readonly isEdited: boolean;
  /** Set if hooks are asked about its charges. */
  readonly guardedBy?: GuardedBy;
}

/** Number of jobs per run, and their maximum size. */
export const WORKLOAD_SIZES = {
  mixed: { jobs: [1, 4], rounds: 2, todos: 3 },
  single: { jobs: [1, 1], rounds: 2, todos: 3 },
  crowd: { jobs: [6, 10], rounds: 1, todos: 2 },
  long: { jobs: [1, 2], rounds: 5, todos: 6 },
} as const;
export type Size = keyof typeof WORKLOAD_SIZES;

const NAME = /^job-(\d+)-r(\d+)-t(\d+)$/;

export function parsePlan(agent: string): Plan {
  const [, , rounds = '1', todos = '1'] = NAME.exec(agent) ?? [];
  return { rounds: Number(rounds), todos: Number(todos) };
}

/** Only jobs of one tenant are edited, so that many runs have no edits that could hide other faults. */
const EDITING_TENANT = 'blue';

/** The first job of these tenants is guarded by a hook that may be asked again after a crash, or that may not. */
const GUARDED_TENANTS: Readonly<Record<string, GuardedBy>> = { red: 'once', green: 'again' };

/** Draws jobs of several tenants; some of their budgets are too small. */
export function drawJobs(roll: Roll, size: Size): SimJob[] {
  const { jobs, rounds, todos } = WORKLOAD_SIZES[size];
  const drawn = Array.from({ length: roll.between(jobs[0], jobs[1]) }, (_, index) => ({
    agent: `job-${index + 1}-r${roll.between(1, rounds)}-t${roll.between(1, todos)}`,
    tenant: roll.pick(['red', 'green', 'blue']),
    budgets: drawBudgets(roll),
    priority: roll.happens(0.3) ? roll.between(1, 5) : 0,
    idempotencyKey: `key-${index + 1}`,
    submitAfterMs: roll.between(0, 4_000),
    approvals: roll.happens(0.15) ? ['charge'] : [],
    asks: index === 2,
  }));
  return drawn.map((job, index) => {
    const guardedBy = index === 0 ? GUARDED_TENANTS[job.tenant] : undefined;
    return {
      ...job,
      isEdited: index === 1 && job.tenant === EDITING_TENANT,
      ...(guardedBy ? { guardedBy } : {}),
    };
  });
}

function drawBudgets(roll: Roll): Budgets {
  const budgets: Budgets = {};
  if (roll.happens(0.5)) budgets.maxCostUsd = roll.pick([0.015, 0.03, 0.06, 0.5]);
  if (roll.happens(0.3)) budgets.maxTokens = roll.pick([3_000, 6_000, 12_000, 40_000]);
  if (roll.happens(0.2)) budgets.maxPhases = roll.between(2, 6);
  if (roll.happens(0.2)) budgets.maxWallTimeMs = roll.pick([20_000, 60_000, 300_000]);
  return budgets;
}

const HASH = '0'.repeat(64);

/** Creates the agents of the jobs. */
export function createAgentSource(jobs: readonly SimJob[]): AgentSource {
  const resolved = new Map<string, ResolvedAgent>(
    jobs.map((job) => [
      job.agent,
      { definition: definitionOf(job), hash: HASH, instructions: 'Do it.\n', workflow, workflowHash: HASH },
    ]),
  );
  return {
    resolve: (name) => {
      const agent = resolved.get(name);
      if (!agent) throw new Error(`unknown agent ${name}`);
      return agent;
    },
  };
}

function definitionOf({ agent, approvals, asks, guardedBy }: SimJob): AgentDefinition {
  return agentDefinitionSchema.parse({
    name: agent,
    displayName: 'Simulated',
    tools: {
      workspace: ['read_file', 'write_file', 'list_files'],
      domain: ['look', 'put', 'charge', ...(asks ? ['ask_person'] : [])],
    },
    deliverables: ['output/report.md'],
    todos: { min: 1, max: 20 },
    approvals: { tools: [...approvals], expireAfterMs: 30_000 },
    ...(guardedBy ? { guards: buildGuards(guardedBy) } : {}),
  });
}

const { plan, execute, review } = defaultWorkflow.states;
const workflow = workflowSchema.parse({
  ...defaultWorkflow,
  states: {
    plan: { ...plan, retries: 3 },
    execute: {
      ...execute,
      rewind: 'rewound',
      outcomes: { ...execute!.outcomes, rewound: { to: 'review' } },
      retries: 3,
    },
    review: { ...review, retries: 3 },
  },
  caps: { phases: 16 },
});
