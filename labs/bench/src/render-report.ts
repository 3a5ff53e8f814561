import type { AppendBenchFigures } from '@phaseline/event-store';
import { renderMarkdownTable } from '@phaseline/harness';
import type { AuditRow } from './audit-bench.js';
import type { GuardRow } from './guards-bench.js';
import { MAX_STEP_MICROS, type TelemetryRow } from './telemetry-bench.js';
import { MAX_GUARD_RATIO, type CommandGuardRow } from './command-guards-bench.js';
import type { CommandRow } from './commands-bench.js';
import type { ContextTable } from './context/context-section.js';
import type { FairnessRow } from './fairness-bench.js';
import type { FoldFigures } from './fold-bench.js';
import type { GrowthRow } from './growth-bench.js';
import type { IdleRow } from './idle-bench.js';
import type { RebuildFigures } from './rebuild-bench.js';
import { MAX_BLOCKED_MS, type InlineRow } from './inline-bench.js';
import type { DashboardFigures } from './dashboard/dashboard-bench.js';
import type { JobViewRow } from './job-view-bench.js';
import { listGroups } from './profile/list-groups.js';
import type { ReplayRow } from './replay-bench.js';
import type { ScheduleRow } from './schedule-bench.js';
import type { ServiceFigures } from './service-bench.js';
import type { SlotsRow } from './slots-bench.js';
import type { StepFigures } from './step-bench.js';
import type { CostRow } from './step-costs/measure-costs.js';
import { renderCosts } from './step-costs/render-costs.js';
import type { WorkspaceRow } from './workspace-bench.js';

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
  costs?: readonly CostRow[];
  fold?: FoldFigures;
  appends?: AppendBenchFigures;
  growth?: readonly GrowthRow[];
  rebuild?: RebuildFigures;
  replay?: readonly ReplayRow[];
  jobView?: readonly JobViewRow[];
  dashboard?: DashboardFigures;
  slots?: readonly SlotsRow[];
  fairness?: readonly FairnessRow[];
  audit?: readonly AuditRow[];
  services?: readonly ServiceFigures[];
  idle?: readonly IdleRow[];
  context?: readonly ContextTable[];
  inline?: readonly InlineRow[];
  commands?: readonly CommandRow[];
  commandGuards?: readonly CommandGuardRow[];
  workspace?: readonly WorkspaceRow[];
  guards?: readonly GuardRow[];
  telemetry?: readonly TelemetryRow[];
  schedule?: readonly ScheduleRow[];
}

/** Renders the report as Markdown tables, which are also readable on a terminal. */
export function renderReport(report: BenchReport): string {
  const { machine } = report;
  const parts = [
    `Machine: ${machine.cpus} × ${machine.model}, ${machine.memoryGiB} GiB, Node ${machine.node}; embedded PostgreSQL that flushes to disk.`,
  ];
  if (report.steps.length > 0)
    parts.push(
      renderRows(report.steps, [
        ['queues', (row) => row.backend],
        ['lane', (row) => row.lane],
        ['concurrent jobs', (row) => String(row.jobs)],
        ['steps/s', (row) => formatCount(row.stepsPerSecond)],
        ['overhead p50 ms', (row) => formatMs(row.p50Ms)],
        ['overhead p99 ms', (row) => formatMs(row.p99Ms)],
      ]),
    );
  if (report.costs) parts.push(renderCosts(report.costs).trimEnd());
  if (report.growth)
    parts.push(
      renderRows(report.growth, [
        ['writers', (row) => String(row.writers)],
        ['events in the log', (row) => formatCount(row.events)],
        ['append p50 ms', (row) => formatMs(row.p50Ms)],
        ['p99 ms', (row) => formatMs(row.p99Ms)],
        ['p99 relative to the shortest log', (row) => row.ratio.toFixed(2)],
      ]),
    );
  if (report.appends)
    parts.push(
      renderRows(report.appends.rows, [
        ['writers', (row) => String(row.writers)],
        ['appends/s', (row) => formatCount(row.append.perSecond)],
        ['p50 ms', (row) => formatMs(row.append.p50)],
        ['p99 ms', (row) => formatMs(row.append.p99)],
        ['plain inserts/s', (row) => formatCount(row.plain.perSecond)],
        ['p50 ms', (row) => formatMs(row.plain.p50)],
        ['ratio', (row) => row.ratio.toFixed(2)],
      ]),
    );
  if (report.fold) parts.push(renderFold(report.fold));
  if (report.replay)
    parts.push(
      renderRows(report.replay, [
        ['state of a job at any point', (row) => row.shape],
        ['events', (row) => formatCount(row.events)],
        ['p50 ms', (row) => formatMs(row.p50Ms)],
        ['p95 ms', (row) => formatMs(row.p95Ms)],
        ['max ms', (row) => formatMs(row.maxMs)],
        ['without snapshots', (row) => formatMs(row.withoutP50Ms)],
        ['snapshots', (row) => formatCount(row.snapshots)],
        ['MiB', (row) => row.snapshotMiB.toFixed(1)],
        ['snapshots taken ms', (row) => formatCount(row.takenMs)],
        ['last phase complete ms', (row) => formatCount(row.wholePhaseMs)],
      ]),
    );
  if (report.jobView)
    parts.push(
      renderRows(report.jobView, [
        ['screen of a long job', (row) => row.request],
        ['KiB', (row) => row.kibibytes.toFixed(1)],
        ['requests', (row) => formatCount(row.requests)],
        ['p50 ms', (row) => formatMs(row.p50Ms)],
        ['p95 ms', (row) => formatMs(row.p95Ms)],
      ]),
    );
  if (report.dashboard) parts.push(renderDashboard(report.dashboard));
  if (report.slots)
    parts.push(
      renderRows(report.slots, [
        ['tenants', (row) => formatCount(row.tenants)],
        ['jobs waiting', (row) => formatCount(row.waiting)],
        ['callers', (row) => String(row.callers)],
        ['slots/s', (row) => formatCount(row.slotsPerSecond)],
        ['call p50 ms', (row) => formatMs(row.p50Ms)],
        ['call p99 ms', (row) => formatMs(row.p99Ms)],
      ]),
    );
  if (report.fairness)
    parts.push(
      renderRows(report.fairness, [
        ['queues', (row) => row.backend],
        ['small tenants', (row) => row.load],
        ['jobs/s', (row) => row.jobsPerSecond.toFixed(1)],
        ['waited mean ms', (row) => formatCount(row.waitedMeanMs)],
        ['p95 ms', (row) => formatCount(row.waitedP95Ms)],
        ['max ms', (row) => formatCount(row.waitedMaxMs)],
        ['took mean ms', (row) => formatCount(row.tookMeanMs)],
        ['max ms', (row) => formatCount(row.tookMaxMs)],
      ]),
    );
  if (report.audit)
    parts.push(
      renderRows(report.audit, [
        ['audit', (row) => row.what],
        ['events', (row) => formatCount(row.events)],
        ['seconds', (row) => row.seconds.toFixed(1)],
        ['events/s', (row) => formatCount(row.perSecond)],
      ]),
    );
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
  if (report.services)
    parts.push(
      renderRows(report.services, [
        ['service', (row) => row.name],
        ['start to ready ms', (row) => formatCount(row.startMs)],
        ['memory MiB', (row) => formatCount(row.rssMiB)],
      ]),
    );
  if (report.idle) parts.push(renderIdle(report.idle).trimEnd());
  if (report.context) parts.push(renderContext(report.context).trimEnd());
  if (report.inline) parts.push(renderInline(report.inline).trimEnd());
  if (report.commands) parts.push(renderCommands(report.commands).trimEnd());
  if (report.commandGuards) parts.push(renderCommandGuards(report.commandGuards).trimEnd());
  if (report.workspace) parts.push(renderWorkspace(report.workspace).trimEnd());
  if (report.guards)
    parts.push(
      renderRows(report.guards, [
        ['guards per call', (row) => `${row.guards} ${row.what}`],
        ['rounds', (row) => formatCount(row.rounds)],
        ['p50 ms', (row) => row.p50Ms.toFixed(3)],
        ['p99 ms', (row) => row.p99Ms.toFixed(3)],
        ['of a step %', (row) => row.shareOfStepPercent.toFixed(1)],
      ]),
    );
  if (report.telemetry) parts.push(renderTelemetry(report.telemetry).trimEnd());
  if (report.schedule) parts.push(renderSchedules(report.schedule).trimEnd());
  return `${parts.join('\n\n')}\n`;
}

function renderFold({ events, pages, state, profile }: FoldFigures): string {
  const rows = [
    [`read and parsed (a phase of ${events} events)`, pages],
    ['read, parsed, decoded and folded', state],
  ] as const;
  const table = renderMarkdownTable(
    ['restoring a phase', 'events/s', 'Node.js, µs per event'],
    rows.map(([what, { perSecond, nodeMicros }]) => [what, formatCount(perSecond), nodeMicros.toFixed(1)]),
  );
  return profile ? `${table}\n\nLargest self times of the second row, µs per event: ${listGroups(profile, 2)}` : table;
}

function renderIdle(rows: readonly IdleRow[]): string {
  const commits = renderRows(rows, [
    ['idle stack', (row) => `queues in ${row.backend}`],
    ['counted s', (row) => String(row.seconds)],
    ['commits/s', (row) => row.commitsPerSecond.toFixed(1)],
  ]);
  const statements = renderRows(
    rows.flatMap(({ backend, applications }) => applications.map((application) => ({ backend, ...application }))),
    [
      ['idle stack', (row) => `queues in ${row.backend}`],
      ['application', (row) => row.name],
      ['statements/s', (row) => row.perSecond.toFixed(1)],
      ['most frequent', (row) => row.most],
    ],
  );
  return `${commits}\n\n${statements}\n`;
}

/** Renders what spans add to a step. */
export function renderTelemetry(rows: readonly TelemetryRow[]): string {
  return renderRows(rows, [
    ['telemetry', (row) => row.telemetry],
    ['steps', (row) => formatCount(row.steps)],
    ['spans per step', (row) => String(row.spans)],
    ['processor µs per step', (row) => row.cpuMicros.toFixed(1)],
    [`within ${MAX_STEP_MICROS}`, (row) => (row.cpuMicros <= MAX_STEP_MICROS ? 'yes' : 'NO')],
  ]);
}

/** Renders how long each inline tool blocks the event loop. */
export function renderSchedules(rows: readonly ScheduleRow[]): string {
  const cells = rows.map(({ what, tasks, plans, feasible, infeasible, undecided, p50Ms, maxMs }) => [
    what,
    ...[tasks, plans, feasible, infeasible, undecided].map(formatCount),
    ...[p50Ms, maxMs].map((ms) => formatCount(Math.round(ms))),
  ]);
  const head = ['plan', 'tasks', 'plans', 'feasible', 'infeasible', 'undecided', 'p50 ms', 'max ms'];
  return `${renderMarkdownTable(head, cells)}\n`;
}

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

export function renderCommands(rows: readonly CommandRow[]): string {
  const table = renderRows(
    rows.filter(({ missing }) => missing === undefined),
    [
      ['`true`', (row) => row.mechanism],
      ['limited by', (row) => row.limitedBy],
      ['runs', (row) => String(row.runs)],
      ['p50 ms', (row) => formatMs(row.p50Ms)],
      ['p95 ms', (row) => formatMs(row.p95Ms)],
      ['over bare ms', (row) => formatMs(row.overBareMs)],
    ],
  );
  const missing = rows.flatMap(({ mechanism, limitedBy, missing: reason }) =>
    reason === undefined ? [] : [`Not measured: ${mechanism} with ${limitedBy}: ${reason}`],
  );
  return `${[table.trimEnd(), ...missing].join('\n\n')}\n`;
}

/** Renders what it costs that a command is a guard. */
function renderCommandGuards(rows: readonly CommandGuardRow[]): string {
  return renderRows(rows, [
    ['command guard', (row) => row.hook],
    ['sandbox', (row) => row.mechanism],
    ['runs', (row) => String(row.runs)],
    ['by hand p50 ms', (row) => formatMs(row.byHandP50Ms)],
    ['as guard p50 ms', (row) => formatMs(row.guardP50Ms)],
    ['ratio', (row) => row.ratio.toFixed(2)],
    [`within ${MAX_GUARD_RATIO}`, (row) => (row.ratio <= MAX_GUARD_RATIO ? 'yes' : 'NO')],
    ['way there p50 ms', (row) => formatMs(row.wayP50Ms)],
  ]);
}

function renderWorkspace(rows: readonly WorkspaceRow[]): string {
  const work = renderRows(rows, [
    ['files', (row) => formatCount(row.files)],
    ['command', (row) => row.command],
    ['runs', (row) => String(row.runs)],
    ['start over bare p50 ms', (row) => formatCount(row.startP50Ms)],
    ['max ms', (row) => formatCount(row.startMaxMs)],
    ['processor time before it p50 ms', (row) => formatCount(row.startCpuP50Ms)],
    ['take-in p50 ms', (row) => formatCount(row.takeInP50Ms)],
    ['stamps read', (row) => formatCount(row.scanned)],
    ['files read', (row) => formatCount(row.read)],
    ['files written', (row) => formatCount(row.written)],
    ['blobs', (row) => formatCount(row.blobs)],
    ['statements', (row) => formatCount(row.statements)],
  ]);
  const sizes = renderRows(
    rows.filter(({ command }) => command === 'first'),
    [
      ['files', (row) => formatCount(row.files)],
      ['MiB', (row) => row.mebibytes.toFixed(1)],
      ['`PhaseStarted` KiB', (row) => formatCount(row.phaseStartedBytes / 1024)],
      ['phase loaded ms', (row) => formatCount(row.loadMs)],
    ],
  );
  return `${work.trimEnd()}\n\n${sizes}`;
}

/** Renders one line per row; each column has a title and the text of its cells. */
function renderDashboard(figures: DashboardFigures): string {
  const { slider, openJobMs } = figures;
  const rows: readonly (readonly [string, string])[] = [
    ['first view: KB, compressed', figures.firstViewKilobytes.toFixed(1)],
    ['first view: requests', formatCount(figures.firstViewRequests)],
    ['first view: first paint, ms', formatCount(figures.firstPaintMs)],
    ['first view: complete, ms', formatCount(figures.firstViewMs)],
    ['long job: opened, median of 5, ms', formatCount(openJobMs.toSorted((a, b) => a - b)[2]!)],
    ['long job: opened, slowest, ms', formatCount(Math.max(...openJobMs))],
    [`slider: state shown, p50 of ${slider.moves}, ms`, formatCount(slider.p50Ms)],
    [`slider: state shown, p95 of ${slider.moves}, ms`, formatCount(slider.p95Ms)],
    ['long job: elements of the page', formatCount(figures.domNodes)],
    ['long job: JavaScript heap, MB', figures.heapMegabytes.toFixed(1)],
  ];
  return renderRows(rows, [
    ['dashboard', ([name]) => name],
    ['figure', ([, figure]) => figure],
  ]);
}

function renderRows<Row>(rows: readonly Row[], columns: readonly (readonly [string, (row: Row) => string])[]): string {
  const cells = rows.map((row) => columns.map(([, format]) => format(row)));
  return renderMarkdownTable(
    columns.map(([title]) => title),
    cells,
  );
}

function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function formatMs(value: number): string {
  return value.toFixed(2);
}
