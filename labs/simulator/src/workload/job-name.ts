import { isChildRole } from './child-role.js';

/**
 * What a job is made to try: a `plain` one plans, works and completes; claims of a `claims` one wait for verifiers and judges; a `loop` works on
 * items with several agents, who hand over to each other; a `delegating` one gives tasks to other agents, whose jobs are `helping`.
 */
export type JobKind = 'plain' | 'claims' | 'loop' | 'delegating' | 'helping';

/** What the name of an agent says, so that the model knows it from the prompt alone. */
export interface Plan {
  /** Name of the agent of the job. */
  readonly job: string;
  readonly kind: JobKind;
  /** Which of several agents of the job it is; absent for the agent of the job. */
  readonly role?: string;
  /** Number of tactical phases. */
  readonly rounds: number;
  /** Maximum number of todos per tactical phase; number of items of a loop. */
  readonly todos: number;
}

const NAME = /^(job-\d+-r(\d+)-t(\d+)(?:-(claims|loop|delegating))?)(?:-([a-z]\w*))?$/;

export function nameJob(number: number, { kind, rounds, todos }: Pick<Plan, 'kind' | 'rounds' | 'todos'>): string {
  return `job-${number}-r${rounds}-t${todos}${kind === 'plain' ? '' : `-${kind}`}`;
}

export function parsePlan(agent: string): Plan {
  const [, job = agent, rounds = '1', todos = '1', kind = 'plain', role] = NAME.exec(agent) ?? [];
  // A child job pays for itself, and completes in its only phase.
  if (isChildRole(role)) return { job: agent, kind: 'helping', role, rounds: 0, todos: 1 };
  return { job, kind: kind as JobKind, rounds: Number(rounds), todos: Number(todos), ...(role ? { role } : {}) };
}
