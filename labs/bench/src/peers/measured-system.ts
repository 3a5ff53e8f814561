/** What a program prints about the jobs that it ran on a system; `labs/bench/peers/run-peer.mjs` describes the members. */
export interface SystemFigures {
  readonly completedJobs: number;
  readonly steps: number;
  readonly seconds: number;
  readonly stepsPerSecond: number;
  readonly p50Ms: number;
}

/** Titles of the systems that run the same jobs, in the order in which the first round measures them. */
export const SYSTEM_TITLES = {
  floor: 'floor: one commit per step',
  'inline-postgres': 'Phaseline, inline tools, queues in PostgreSQL',
  'inline-redis': 'Phaseline, inline tools, queues in Redis',
  'remote-postgres': 'Phaseline, remote tools, queues in PostgreSQL',
  'remote-redis': 'Phaseline, remote tools, queues in Redis',
  restate: 'Restate',
  dbos: 'DBOS',
  langgraph: 'LangGraph, checkpoints in PostgreSQL',
} as const;

export type SystemName = keyof typeof SYSTEM_TITLES;

/** Whether a system is Phaseline. Its `p50Ms` is the gap between two model calls, that of the others the time of a whole step. */
export function isPhaseline(system: SystemName): boolean {
  return /^(inline|remote)-/.test(system);
}

/** The figures of one system with a number of jobs at once. */
export interface PeerRow {
  readonly system: SystemName;
  readonly jobs: number;
  readonly stepsPerJob: number;
  /** Medians of the rounds. */
  readonly stepsPerSecond: number;
  readonly p50Ms: number;
  /** One entry per round. */
  readonly rounds: readonly SystemFigures[];
}
