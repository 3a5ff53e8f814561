import type { AppendBenchFigures } from '@phaseline/event-store';
import type { FoldFigures } from './fold-bench.js';
import type { ServiceFigures } from './service-bench.js';
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
  services?: readonly ServiceFigures[];
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
  if (report.services) {
    parts.push(
      table(
        ['service', 'start to ready ms', 'memory MiB'],
        report.services.map((row) => [row.name, count(row.startMs), count(row.rssMiB)]),
      ),
    );
  }
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
