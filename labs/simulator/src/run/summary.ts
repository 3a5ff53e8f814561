import { jobStream } from '@phaseline/domain';
import type { Violation } from '../check/invariants.js';
import type { Fault } from '../schedule/faults.js';
import type { SeedResult } from './run-seed.js';

/** A failed seed, with the shortest schedule of faults that was found to cause the violation. */
export interface Failure {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: readonly Fault[];
  readonly drawn: number;
}

/** Totals over some seeds. Summaries of several processes can be added. */
export interface Summary {
  seeds: number;
  jobs: number;
  events: number;
  steps: number;
  virtualMs: number;
  /** CPU time of the processes that ran them. */
  cpuMs: number;
  readonly faults: Record<string, number>;
  /** Number of jobs by the type of the last event of their stream. */
  readonly ends: Record<string, number>;
  /** Number of failures of jobs by their code. */
  readonly codes: Record<string, number>;
  readonly requests: Record<string, number>;
  readonly violations: Record<string, number>;
  readonly failures: Failure[];
  failed: number;
}

export function emptySummary(): Summary {
  return {
    seeds: 0,
    jobs: 0,
    events: 0,
    steps: 0,
    virtualMs: 0,
    cpuMs: 0,
    faults: {},
    ends: {},
    codes: {},
    requests: {},
    violations: {},
    failures: [],
    failed: 0,
  };
}

export function addResult(summary: Summary, { remains, violations }: SeedResult): void {
  summary.seeds += 1;
  summary.events += remains.log.events.length;
  summary.steps += remains.steps;
  summary.virtualMs += remains.virtualMs;
  for (const { kind } of remains.faults) count(summary.faults, kind);
  for (const streamId of remains.log.streamIds()) {
    if (!streamId.startsWith(jobStream(''))) continue;
    summary.jobs += 1;
    const events = remains.log.storedEvents(streamId).map(({ recorded }) => recorded);
    for (const { type, data } of events) if (type === 'JobFailed') count(summary.codes, String(data['code']));
    const types = events.map(({ type }) => type);
    // A paused job can be edited.
    count(
      summary.ends,
      types.findLast((type) => type !== 'WorkspaceEdited')!,
    );
  }
  for (const [request, times] of Object.entries(remains.requestCounts)) count(summary.requests, request, times);
  if (violations.length > 0) summary.failed += 1;
  for (const invariant of new Set(violations.map((violation) => violation.invariant)))
    count(summary.violations, invariant);
}

export function addSummary(to: Summary, from: Summary): void {
  for (const key of ['seeds', 'jobs', 'events', 'steps', 'virtualMs', 'cpuMs', 'failed'] as const) to[key] += from[key];
  for (const key of ['faults', 'ends', 'codes', 'requests', 'violations'] as const)
    for (const [name, times] of Object.entries(from[key])) count(to[key], name, times);
  to.failures.push(...from.failures);
}

function count(counts: Record<string, number>, name: string, times = 1): void {
  counts[name] = (counts[name] ?? 0) + times;
}
