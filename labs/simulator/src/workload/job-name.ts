/** What a job is made to try; `plain` jobs plan, work and complete. */
export type JobKind = 'plain' | 'claims';

/** What the name of an agent says, so that the model knows it from the prompt alone. */
export interface Plan {
  /** Name of the agent of the job. */
  readonly job: string;
  readonly kind: JobKind;
  /** Number of tactical phases. */
  readonly rounds: number;
  /** Maximum number of todos per tactical phase. */
  readonly todos: number;
}

const NAME = /^job-\d+-r(\d+)-t(\d+)(?:-(claims))?$/;

export function nameJob(number: number, { kind, rounds, todos }: Omit<Plan, 'job'>): string {
  return `job-${number}-r${rounds}-t${todos}${kind === 'plain' ? '' : `-${kind}`}`;
}

export function parsePlan(agent: string): Plan {
  const [, rounds = '1', todos = '1', kind = 'plain'] = NAME.exec(agent) ?? [];
  return { job: agent, kind: kind as JobKind, rounds: Number(rounds), todos: Number(todos) };
}
