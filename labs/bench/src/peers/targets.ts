import { percentile } from '@phaseline/harness';
import type { AppendBenchFigures } from '@phaseline/event-store';
import type { FoldFigures } from '../fold-bench.js';
import type { IdleRow } from '../idle-bench.js';
import type { ServiceFigures } from '../service-bench.js';
import type { PeerRow, SystemFigures, SystemName } from './measured-system.js';

/** A limit, what was measured, and whether it was met; without the last two if the run could not measure it. */
export interface Target {
  readonly what: string;
  readonly limit: string;
  readonly measured?: number;
  readonly isMet?: boolean;
}

/** The figures of one run. */
export interface PeerFigures {
  readonly rows: readonly PeerRow[];
  readonly appends: AppendBenchFigures;
  readonly fold: FoldFigures;
  readonly services: readonly ServiceFigures[];
  readonly idle: readonly IdleRow[];
}

/** The limits that Phaseline is to stay within. Those of steps are ratios of figures of the same round, so they depend little on the machine. */
export function judgeTargets(figures: PeerFigures): Target[] {
  const rate = (system: SystemName, other: SystemName, jobs: number): number | undefined =>
    medianRatio(figures.rows, system, other, jobs, 'stepsPerSecond');
  const p50 = (system: SystemName): number | undefined => medianRatio(figures.rows, system, 'floor', 1, 'p50Ms');
  const append = (writers: number): number | undefined =>
    figures.appends.rows.find((row) => row.writers === writers)?.ratio;
  const idle = (backend: string): number | undefined =>
    figures.idle.find((row) => row.backend === backend)?.commitsPerSecond;
  return [
    atMost('inline tools, Redis: p50 with 1 job, relative to the floor', 2.5, p50('inline-redis')),
    atLeast('inline tools, Redis: rate with 32 jobs, relative to the floor', 0.4, rate('inline-redis', 'floor', 32)),
    atMost('inline tools, PostgreSQL: p50 with 1 job, relative to the floor', 3.5, p50('inline-postgres')),
    atLeast(
      'inline tools, PostgreSQL: rate with 32 jobs, relative to the floor',
      0.3,
      rate('inline-postgres', 'floor', 32),
    ),
    atLeast('remote tools, Redis: rate with 1 job, relative to Restate', 1, rate('remote-redis', 'restate', 1)),
    atLeast('remote tools, Redis: rate with 32 jobs, relative to Restate', 1, rate('remote-redis', 'restate', 32)),
    moreThan('remote tools, PostgreSQL: rate with 1 job, relative to DBOS', 1, rate('remote-postgres', 'dbos', 1)),
    atLeast(
      'remote tools, PostgreSQL: rate with 32 jobs, relative to Restate',
      0.5,
      rate('remote-postgres', 'restate', 32),
    ),
    atLeast('appends of 1 writer, relative to plain inserts', 0.7, append(1)),
    atLeast('appends of 32 writers, relative to plain inserts', 0.9, append(32)),
    atLeast('events read, decoded and folded per second', 300_000, figures.fold.state.perSecond),
    atMost('slowest service ready, ms', 1_500, Math.max(...figures.services.map(({ startMs }) => startMs))),
    atMost('memory of the largest service, MiB', 110, Math.max(...figures.services.map(({ rssMiB }) => rssMiB))),
    atMost('commits per second of an idle stack, PostgreSQL', 5, idle('postgres')),
    atMost('commits per second of an idle stack, Redis', 5, idle('redis')),
  ];
}

/** The median of the ratios of two systems in each round; undefined if one of them was not measured. */
export function medianRatio(
  rows: readonly PeerRow[],
  system: SystemName,
  other: SystemName,
  jobs: number,
  figure: keyof SystemFigures,
): number | undefined {
  const find = (name: SystemName): PeerRow | undefined => rows.find((row) => row.system === name && row.jobs === jobs);
  const [own, others] = [find(system)?.rounds, find(other)?.rounds];
  if (!own || !others) return undefined;
  return percentile(
    own.map((one, round) => one[figure] / others[round]![figure]),
    0.5,
  );
}

function atMost(what: string, limit: number, measured: number | undefined): Target {
  return judge(what, `≤ ${format(limit)}`, measured, (value) => value <= limit);
}

function atLeast(what: string, limit: number, measured: number | undefined): Target {
  return judge(what, `≥ ${format(limit)}`, measured, (value) => value >= limit);
}

function moreThan(what: string, limit: number, measured: number | undefined): Target {
  return judge(what, `> ${format(limit)}`, measured, (value) => value > limit);
}

function judge(
  what: string,
  limit: string,
  measured: number | undefined,
  isWithin: (value: number) => boolean,
): Target {
  return { what, limit, ...(measured === undefined ? {} : { measured, isMet: isWithin(measured) }) };
}

function format(value: number): string {
  return value.toLocaleString('en-US');
}
