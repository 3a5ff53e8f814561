import { summariseEvent, type ComparedEvent, type ComparedJob, type JobComparisonResponse } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import type { Paint } from '../output/paint.js';
import { fit } from '../output/display-width.js';
import { toPrintable } from '../output/printable.js';
import { formatCount, formatUsd } from '../output/quantities.js';
import { renderTable } from '../output/table.js';
import { renderFileChanges, formatUsageChange } from './render-change.js';

/** `phaseline compare JOB FORK`: shows two jobs side by side, and where they first differ. */
export async function compare(context: CommandContext, left: string, right: string): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const compared = await client.compare(await findJob(client, left, signal), await findJob(client, right, signal), {
    signal,
  });
  if (out.isStructured) out.writeDocument(compared);
  else out.writeLines(...renderComparison(compared, out.paint, out.columns));
  return exitCode.ok;
}

const TEXT_COLUMNS = 160;

/** Renders a table of both jobs, the files that differ, and the first difference. */
export function renderComparison(compared: JobComparisonResponse, paint: Paint, columns?: number): string[] {
  const { left, right, usageChange, files, hasSameFiles, firstDifference } = compared;
  const rows: readonly [string, (job: ComparedJob) => string][] = [
    ['job', ({ jobId }) => jobId],
    ['outcome', ({ status }) => status],
    ['agent', ({ agent }) => toPrintable(agent)],
    ['fork', ({ fork }) => (fork ? `of ${fork.parent.jobId.slice(0, 8)} at ${fork.position}, ${fork.mode}` : '')],
    ['phases', ({ phaseCount }) => String(phaseCount)],
    ['steps', ({ usage }) => String(usage.steps)],
    ['tokens in', ({ usage }) => formatCount(usage.inputTokens)],
    ['tokens out', ({ usage }) => formatCount(usage.outputTokens)],
    ['cost', ({ usage }) => formatUsd(usage.costMicroUsd)],
    ['files', ({ fileCount: count }) => String(count)],
    ['result', ({ result, failure }) => fit(toPrintable(result?.summary ?? failure?.message ?? ''), TEXT_COLUMNS)],
  ];
  const titleColumns = Math.max(...rows.map(([name]) => name.length));
  const columnsPerSide = Math.max(8, Math.floor(((columns ?? 0) - titleColumns) / 2) - 2);
  const table = renderTable(
    [
      { title: '', cell: ([name]) => name, paint: paint.dim },
      // Both sides get the same width, so that they can be compared.
      { title: 'LEFT', cell: ([, value]) => value(left), short: ([, value]) => fit(value(left), columnsPerSide) },
      { title: 'RIGHT', cell: ([, value]) => value(right), short: ([, value]) => fit(value(right), columnsPerSide) },
    ],
    rows,
    { width: columns, title: paint.dim },
  );
  return [
    ...table,
    '',
    `${paint.dim('right minus left')} ${formatUsageChange(usageChange)}`,
    '',
    paint.bold(hasSameFiles ? 'identical files' : 'file changes from left to right'),
    ...renderFileChanges(files, paint),
    '',
    ...renderFirstDifference(firstDifference, paint),
  ];
}

function renderFirstDifference(difference: JobComparisonResponse['firstDifference'], paint: Paint): string[] {
  if (!difference) return [paint.bold('no difference in their events')];
  const { phase, step, left, right } = difference;
  return [
    paint.bold(`first difference: phase ${phase}, step ${step}`),
    `  ${paint.dim('left ')} ${describeEvent(left)}`,
    `  ${paint.dim('right')} ${describeEvent(right)}`,
  ];
}

function describeEvent(event: ComparedEvent | undefined): string {
  if (!event) return 'no further event';
  const { type, position, content } = event;
  const gist = summariseEvent({ type, data: content });
  return `${position} ${type} ${fit(toPrintable(gist === '' ? JSON.stringify(content) : gist), TEXT_COLUMNS)}`;
}
