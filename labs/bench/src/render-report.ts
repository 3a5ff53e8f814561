import type { AppendBenchFigures } from '@phaseline/event-store';
import { renderMarkdownTable } from '@phaseline/harness';
import type { AuditRow } from './audit-bench.js';
import type { ContextTable } from './context/context-section.js';
import type { FairnessRow } from './fairness-bench.js';
import type { FoldFigures } from './fold-bench.js';
import type { GrowthRow } from './growth-bench.js';
import type { RebuildFigures } from './rebuild-bench.js';
import { MAX_BLOCKED_MS, type InlineRow } from './inline-bench.js';
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

/** Renders the report as Markdown tables, which are also readable on a terminal. */
export function renderReport(report: BenchReport): string {
  const { machine } = report;
  const parts = [
    `Machine: ${machine.cpus} × ${machine.model}, ${machine.memoryGiB} GiB, Node ${machine.node}; embedded PostgreSQL that flushes to disk.`,
  ];
  if (report.steps.length > 0) {
    parts.push(
      renderMarkdownTable(
        ['queues', 'lane', 'concurrent jobs', 'steps/s', 'overhead p50 ms', 'overhead p99 ms'],
        report.steps.map((row) => [
          row.backend,
          row.lane,
          String(row.jobs),
          formatCount(row.stepsPerSecond),
          formatMs(row.p50Ms),
          formatMs(row.p99Ms),
        ]),
      ),
    );
  }
  if (report.growth) {
    parts.push(
      renderMarkdownTable(
        ['writers', 'events in the log', 'append p50 ms', 'p99 ms', 'p99 relative to the shortest log'],
        report.growth.map((row) => [
          String(row.writers),
          formatCount(row.events),
          formatMs(row.p50Ms),
          formatMs(row.p99Ms),
          row.ratio.toFixed(2),
        ]),
      ),
    );
  }
  if (report.appends) {
    parts.push(
      renderMarkdownTable(
        ['writers', 'appends/s', 'p50 ms', 'p99 ms', 'plain inserts/s', 'p50 ms', 'ratio'],
        report.appends.rows.map((row) => [
          String(row.writers),
          formatCount(row.append.perSecond),
          formatMs(row.append.p50),
          formatMs(row.append.p99),
          formatCount(row.plain.perSecond),
          formatMs(row.plain.p50),
          row.ratio.toFixed(2),
        ]),
      ),
    );
  }
  if (report.fold) {
    parts.push(
      renderMarkdownTable(
        ['replay', 'events/s'],
        [
          [`read (a phase of ${report.fold.events} events)`, formatCount(report.fold.readPerSecond)],
          ['read, decoded and folded', formatCount(report.fold.replayedPerSecond)],
        ],
      ),
    );
  }
  if (report.replay) {
    parts.push(
      renderMarkdownTable(
        [
          'state of a job at any point',
          'events',
          'p50 ms',
          'p95 ms',
          'max ms',
          'without snapshots',
          'snapshots',
          'MiB',
          'snapshots taken ms',
          'last phase complete ms',
        ],
        report.replay.map((row) => [
          row.shape,
          formatCount(row.events),
          formatMs(row.p50Ms),
          formatMs(row.p95Ms),
          formatMs(row.maxMs),
          formatMs(row.withoutP50Ms),
          formatCount(row.snapshots),
          row.snapshotMiB.toFixed(1),
          formatCount(row.takenMs),
          formatCount(row.wholePhaseMs),
        ]),
      ),
    );
  }
  if (report.slots) {
    parts.push(
      renderMarkdownTable(
        ['tenants', 'jobs waiting', 'callers', 'slots/s', 'call p50 ms', 'call p99 ms'],
        report.slots.map((row) => [
          formatCount(row.tenants),
          formatCount(row.waiting),
          String(row.callers),
          formatCount(row.slotsPerSecond),
          formatMs(row.p50Ms),
          formatMs(row.p99Ms),
        ]),
      ),
    );
  }
  if (report.fairness) {
    parts.push(
      renderMarkdownTable(
        ['queues', 'small tenants', 'jobs/s', 'waited mean ms', 'p95 ms', 'max ms', 'took mean ms', 'max ms'],
        report.fairness.map((row) => [
          row.backend,
          row.load,
          row.jobsPerSecond.toFixed(1),
          formatCount(row.waitedMeanMs),
          formatCount(row.waitedP95Ms),
          formatCount(row.waitedMaxMs),
          formatCount(row.tookMeanMs),
          formatCount(row.tookMaxMs),
        ]),
      ),
    );
  }
  if (report.audit) {
    parts.push(
      renderMarkdownTable(
        ['audit', 'events', 'seconds', 'events/s'],
        report.audit.map((row) => [
          row.what,
          formatCount(row.events),
          row.seconds.toFixed(1),
          formatCount(row.perSecond),
        ]),
      ),
    );
  }
  if (report.rebuild) {
    const { events, jobs, livePerSecond, rebuildSeconds, switchMs, checkSeconds, rows, isEqual, isCorrect } =
      report.rebuild;
    parts.push(
      renderMarkdownTable(
        ['read models', ''],
        [
          ['events, jobs', `${formatCount(events)}, ${formatCount(jobs)}`],
          ['rows', formatCount(Object.values(rows).reduce((sum, one) => sum + one, 0))],
          ['updated by the live tail, events/s', formatCount(livePerSecond)],
          ['rebuild, s', rebuildSeconds.toFixed(1)],
          ['pause of the live tail for the switch, ms', formatCount(switchMs)],
          ['check against the log, s', checkSeconds.toFixed(1)],
          ['rebuilt tables equal live tables', isEqual ? 'yes' : 'NO'],
          ['every row equals the fold of the log', isCorrect ? 'yes' : 'NO'],
        ],
      ),
    );
  }
  if (report.services) {
    parts.push(
      renderMarkdownTable(
        ['service', 'start to ready ms', 'memory MiB'],
        report.services.map((row) => [row.name, formatCount(row.startMs), formatCount(row.rssMiB)]),
      ),
    );
  }
  if (report.context) parts.push(renderContext(report.context).trimEnd());
  if (report.inline) parts.push(renderInline(report.inline).trimEnd());
  return `${parts.join('\n\n')}\n`;
}

/** Renders how long each inline tool blocks the event loop. */
export function renderInline(rows: readonly InlineRow[]): string {
  const cells = rows.map(({ tool, what, blockedMs, tookMs, turns, refused = '' }) => [
    tool,
    what,
    blockedMs.toFixed(1),
    blockedMs <= MAX_BLOCKED_MS ? 'yes' : 'NO',
    tookMs.toFixed(1),
    formatCount(turns),
    refused,
  ]);
  const head = ['inline tool', 'case', 'blocked ms', `within ${MAX_BLOCKED_MS}`, 'took ms', 'turns', 'refused'];
  return `${renderMarkdownTable(head, cells)}\n`;
}

/** Renders the tables about the context, each under its title. */
export function renderContext(tables: readonly ContextTable[]): string {
  const parts = tables.flatMap(({ title, head, rows, notes = [] }) => [
    `### ${title}`,
    renderMarkdownTable(head, rows),
    ...notes,
  ]);
  return `${parts.join('\n\n')}\n`;
}

function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function formatMs(value: number): string {
  return value.toFixed(2);
}
