import type { AppendBenchFigures } from '@phaseline/event-store';
import type { AuditRow } from './audit-bench.js';
import type { ContextTable } from './context/context-section.js';
import type { FairnessRow } from './fairness-bench.js';
import type { FoldFigures } from './fold-bench.js';
import type { GrowthRow } from './growth-bench.js';
import type { RebuildFigures } from './rebuild-bench.js';
import { HELD_MS_ALLOWED, type InlineRow } from './inline-bench.js';
import type { ReplayRow } from './replay-bench.js';
import type { ServiceFigures } from './service-bench.js';
import type { SlotsRow } from './slots-bench.js';
import type { StepFigures } from './step-bench.js';

export interface StepRow extends StepFigures {
  readonly backend: string;
  readonly lane: string;
  readonly jobs: number;
}

export interface BenchReport {
  readonly machine: {
    readonly cpus: number;
    readonly model: string;
    readonly memoryGiB: number;
    readonly node: string;
  };
  steps: readonly StepRow[];
  fold?: FoldFigures;
  appends?: AppendBenchFigures;
  growth?: readonly GrowthRow[];
  rebuild?: RebuildFigures;
  replay?: readonly ReplayRow[];
  slots?: readonly SlotsRow[];
  fairness?: readonly FairnessRow[];
  audit?: readonly AuditRow[];
  services?: readonly ServiceFigures[];
  context?: readonly ContextTable[];
  inline?: readonly InlineRow[];
}

/** The report as Markdown tables, which read as well on a terminal. */
export function renderReport(report: BenchReport): string {
  const { machine } = report;
  const parts = [
    `Machine: ${machine.cpus} × ${machine.model}, ${machine.memoryGiB} GiB, Node ${machine.node}; embedded PostgreSQL, flushing to the disk.`,
  ];
  if (report.steps.length > 0) {
    parts.push(
      table(
        ['queues', 'lane', 'jobs at once', 'steps/s', 'overhead p50 ms', 'overhead p99 ms'],
        report.steps.map((row) => [
          row.backend,
          row.lane,
          String(row.jobs),
          count(row.stepsPerSecond),
          ms(row.p50Ms),
          ms(row.p99Ms),
        ]),
      ),
    );
  }
  if (report.growth) {
    parts.push(
      table(
        ['writers', 'events in the log', 'append p50 ms', 'p99 ms', 'p99 against the shortest log'],
        report.growth.map((row) => [
          String(row.writers),
          count(row.events),
          ms(row.p50Ms),
          ms(row.p99Ms),
          row.ratio.toFixed(2),
        ]),
      ),
    );
  }
  if (report.appends) {
    parts.push(
      table(
        ['writers', 'appends/s', 'p50 ms', 'p99 ms', 'plain inserts/s', 'p50 ms', 'ratio'],
        report.appends.rows.map((row) => [
          String(row.writers),
          count(row.append.perSecond),
          ms(row.append.p50),
          ms(row.append.p99),
          count(row.plain.perSecond),
          ms(row.plain.p50),
          row.ratio.toFixed(2),
        ]),
      ),
    );
  }
  if (report.fold) {
    parts.push(
      table(
        ['replay', 'events/s'],
        [
          [`read (a phase of ${report.fold.events} events)`, count(report.fold.readPerSecond)],
          ['read, decoded and folded', count(report.fold.replayedPerSecond)],
        ],
      ),
    );
  }
  if (report.replay) {
    parts.push(
      table(
        [
          'any point of a job',
          'events',
          'p50 ms',
          'p95 ms',
          'max ms',
          'without snapshots',
          'snapshots',
          'MiB',
          'taken ms',
          'last phase whole ms',
        ],
        report.replay.map((row) => [
          row.shape,
          count(row.events),
          ms(row.p50Ms),
          ms(row.p95Ms),
          ms(row.maxMs),
          ms(row.withoutP50Ms),
          count(row.snapshots),
          row.snapshotMiB.toFixed(1),
          count(row.takenMs),
          count(row.wholePhaseMs),
        ]),
      ),
    );
  }
  if (report.slots) {
    parts.push(
      table(
        ['tenants', 'jobs waiting', 'callers', 'slots/s', 'call p50 ms', 'call p99 ms'],
        report.slots.map((row) => [
          count(row.tenants),
          count(row.waiting),
          String(row.callers),
          count(row.slotsPerSecond),
          ms(row.p50Ms),
          ms(row.p99Ms),
        ]),
      ),
    );
  }
  if (report.fairness) {
    parts.push(
      table(
        ['queues', 'small tenants', 'jobs/s', 'waited mean ms', 'p95 ms', 'max ms', 'took mean ms', 'max ms'],
        report.fairness.map((row) => [
          row.backend,
          row.load,
          row.jobsPerSecond.toFixed(1),
          count(row.waitedMeanMs),
          count(row.waitedP95Ms),
          count(row.waitedMaxMs),
          count(row.tookMeanMs),
          count(row.tookMaxMs),
        ]),
      ),
    );
  }
  if (report.audit) {
    parts.push(
      table(
        ['audit', 'events', 'seconds', 'events/s'],
        report.audit.map((row) => [row.what, count(row.events), row.seconds.toFixed(1), count(row.perSecond)]),
      ),
    );
  }
  if (report.rebuild) {
    const { events, jobs, livePerSecond, rebuildSeconds, switchMs, checkSeconds, rows, equal, holds } = report.rebuild;
    parts.push(
      table(
        ['read models', ''],
        [
          ['events, of jobs', `${count(events)}, ${count(jobs)}`],
          ['rows', count(Object.values(rows).reduce((sum, one) => sum + one, 0))],
          ['kept by the live tail, events/s', count(livePerSecond)],
          ['all rebuilt, s', rebuildSeconds.toFixed(1)],
          ['the live tail stood still for the switch, ms', count(switchMs)],
          ['all checked against the log, s', checkSeconds.toFixed(1)],
          ['rebuilt and live-built are the same bytes', equal ? 'yes' : 'NO'],
          ['every row is the fold of the log', holds ? 'yes' : 'NO'],
        ],
      ),
    );
  }
  if (report.services) {
    parts.push(
      table(
        ['service', 'start to ready ms', 'memory MiB'],
        report.services.map((row) => [row.name, count(row.startMs), count(row.rssMiB)]),
      ),
    );
  }
  if (report.context) parts.push(renderContext(report.context).trimEnd());
  if (report.inline) parts.push(renderInline(report.inline).trimEnd());
  return `${parts.join('\n\n')}\n`;
}

/** How long each inline tool holds the event loop. */
export function renderInline(rows: readonly InlineRow[]): string {
  const cells = rows.map(({ tool, what, heldMs, tookMs, turns, refused = '' }) => [
    tool,
    what,
    heldMs.toFixed(1),
    heldMs <= HELD_MS_ALLOWED ? 'yes' : 'NO',
    tookMs.toFixed(1),
    count(turns),
    refused,
  ]);
  const head = ['inline tool', 'asked for', 'held ms', `within ${HELD_MS_ALLOWED}`, 'took ms', 'turns', 'refused'];
  return `${table(head, cells)}\n`;
}

/** The tables about the context, each under its title. */
export function renderContext(tables: readonly ContextTable[]): string {
  const parts = tables.flatMap(({ title, head, rows, notes = [] }) => [`### ${title}`, table(head, rows), ...notes]);
  return `${parts.join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`;
  return [
    line(head),
    `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function ms(value: number): string {
  return value.toFixed(2);
}
