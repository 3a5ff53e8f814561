import type { ComparedEvent, ComparedJob, JobComparison } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import { eventGist } from '../event/event-gist.js';
import type { Paint } from '../output/paint.js';
import { fit } from '../output/display-width.js';
import { printable } from '../output/printable.js';
import { shortCount, usd } from '../output/quantities.js';
import { tableLines } from '../output/table.js';
import { fileChangeLines, spentText } from './render-change.js';

/** `phaseline compare JOB FORK`: two jobs beside each other, and where they first went apart. */
export async function compare(context: CommandContext, left: string, right: string): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const compared = await client.compare(await findJob(client, left, signal), await findJob(client, right, signal), {
    signal,
  });
  if (out.json) out.document(compared);
  else out.lines(...renderComparison(compared, out.paint, out.columns));
  return exitCode.ok;
}

const SHOWN_CHARACTERS = 160;

/** A table of both, the files that differ, and the first difference. */
export function renderComparison(compared: JobComparison, paint: Paint, columns?: number): string[] {
  const { left, right, spent, files, sameFiles, firstDifference } = compared;
  const rows: readonly [string, (job: ComparedJob) => string][] = [
    ['job', ({ jobId }) => jobId],
    ['outcome', ({ status }) => status],
    ['agent', ({ agent }) => printable(agent)],
    ['fork', ({ fork }) => (fork ? `of ${fork.parent.jobId.slice(0, 8)} at ${fork.at}, ${fork.mode}` : '')],
    ['phases', ({ phases }) => String(phases)],
    ['steps', ({ spending }) => String(spending.steps)],
    ['tokens in', ({ spending }) => shortCount(spending.inputTokens)],
    ['tokens out', ({ spending }) => shortCount(spending.outputTokens)],
    ['money', ({ spending }) => usd(spending.costMicroUsd)],
    ['files', ({ files: count }) => String(count)],
    ['result', ({ completion, failure }) => cut(completion?.summary ?? failure?.message ?? '')],
  ];
  const titles = Math.max(...rows.map(([name]) => name.length));
  const half = Math.max(8, Math.floor(((columns ?? 0) - titles) / 2) - 2);
  const table = tableLines(
    [
      { title: '', cell: ([name]) => name, paint: paint.dim },
      // Both sides get the same room, because they are there to be compared.
      { title: 'LEFT', cell: ([, value]) => value(left), short: ([, value]) => fit(value(left), half) },
      { title: 'RIGHT', cell: ([, value]) => value(right), short: ([, value]) => fit(value(right), half) },
    ],
    rows,
    { width: columns, title: paint.dim },
  );
  return [
    ...table,
    '',
    `${paint.dim('the right one')} ${spentText(spent)}`,
    '',
    paint.bold(sameFiles ? 'the same files, byte for byte' : 'files, from left to right'),
    ...fileChangeLines(files, paint),
    '',
    ...differenceLines(firstDifference, paint),
  ];
}

function differenceLines(difference: JobComparison['firstDifference'], paint: Paint): string[] {
  if (!difference) return [paint.bold('both did the same from beginning to end')];
  const { phase, step, left, right } = difference;
  return [
    paint.bold(`first difference: phase ${phase}, step ${step}`),
    `  ${paint.dim('left ')} ${happening(left)}`,
    `  ${paint.dim('right')} ${happening(right)}`,
  ];
}

function happening(event: ComparedEvent | undefined): string {
  if (!event) return 'has nothing more';
  const { type, position, content } = event;
  const gist = eventGist({ type, data: content });
  return `${position} ${type} ${cut(gist === '' ? JSON.stringify(content) : gist)}`;
}

function cut(text: string): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
