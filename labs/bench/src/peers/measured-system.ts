import type { ToolLane } from '@phaseline/contracts';

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
  'deployed-inline-postgres': 'Phaseline as deployed, inline tools, PostgreSQL',
  'deployed-inline-redis': 'Phaseline as deployed, inline tools, Redis',
  'deployed-remote-postgres': 'Phaseline as deployed, remote tools, PostgreSQL',
  'deployed-remote-redis': 'Phaseline as deployed, remote tools, Redis',
  restate: 'Restate',
  dbos: 'DBOS',
  langgraph: 'LangGraph, checkpoints in PostgreSQL',
} as const;

export type SystemName = keyof typeof SYSTEM_TITLES;

/** The parts of the name of a Phaseline; undefined for the others. `isDeployed`: each service is a process of its own. */
export function parsePhaseline(
  system: SystemName,
): { readonly isDeployed: boolean; readonly lane: ToolLane; readonly backend: 'postgres' | 'redis' } | undefined {
  const [, deployed, lane, backend] = /^(deployed-)?(inline|remote)-(postgres|redis)$/.exec(system) ?? [];
  if (lane === undefined) return undefined;
  return { isDeployed: deployed !== undefined, lane: lane as ToolLane, backend: backend as 'postgres' | 'redis' };
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
