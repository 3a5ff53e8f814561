import type { JobSummary } from '@phaseline/client';
import { erasedText } from '../erase/render-erased.js';
import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { age, clock, usd } from '../output/quantities.js';
import { tableLines, type Column } from '../output/table.js';
import { bar, statusPaint, usageText } from '../progress/render-progress.js';
import { shortTime } from '../event/render-event.js';

const BAR_COLUMNS = 16;

/** Renders a table with one line per job. */
export function renderJobs(
  jobs: readonly JobSummary[],
  options: {
    readonly paint: Paint;
    readonly columns?: number | undefined;
    readonly now: number;
    readonly wide?: boolean;
  },
): string[] {
  const { paint, now, wide = false } = options;
  const prefixLength = findUniquePrefixLength(jobs.map(({ jobId }) => jobId));
  const columns: Column<JobSummary>[] = [
    { title: 'JOB', cell: (job) => job.jobId, short: (job) => job.jobId.slice(0, prefixLength) },
    { title: 'STATUS', cell: (job) => job.status, paint: (text, job) => statusPaint(job.status, paint)(text) },
    { title: 'AGE', align: 'right', cell: (job) => age(Math.max(0, now - Date.parse(job.createdAt))) },
    { title: 'COST', align: 'right', cell: (job) => usd(job.usage.costMicroUsd) },
    { title: 'AGENT', cell: (job) => printable(job.agent) },
    ...(wide ? createWideColumns(now) : []),
    { title: 'PHASE', cell: renderPhaseCell },
  ];
  // With all columns requested, let the terminal wrap lines instead of cutting them.
  return tableLines(columns, jobs, { width: wide ? undefined : options.columns, title: paint.dim });
}

/** Number of leading characters that make all ids distinct; at least the first group of a UUID. */
function findUniquePrefixLength(ids: readonly string[]): number {
  const distinct = new Set(ids);
  for (let length = 8; length < 36; length++)
    if (new Set(ids.map((id) => id.slice(0, length))).size === distinct.size) return length;
  return 36;
}

function createWideColumns(now: number): Column<JobSummary>[] {
  return [
    { title: 'CHANGED', align: 'right', cell: (job) => age(Math.max(0, now - Date.parse(job.updatedAt))) },
    { title: 'STEPS', align: 'right', cell: (job) => String(job.usage.steps) },
    { title: 'TOKENS', align: 'right', cell: (job) => String(job.usage.inputTokens + job.usage.outputTokens) },
    {
      title: 'LABELS',
      cell: (job) =>
        Object.entries(job.labels ?? {})
          .map(([key, value]) => printable(`${key}=${value}`))
          .join(','),
    },
  ];
}

function renderPhaseCell({ phase, unreadable }: JobSummary): string {
  if (unreadable !== undefined) return `unreadable: ${printable(unreadable)}`;
  if (!phase) return '';
  return `${phase.number} ${phase.kind} ${phase.todosDone}/${phase.todosTotal} ${printable(phase.name)}`;
}

/** Renders all details of a job summary. */
export function renderJob(job: JobSummary, options: { readonly paint: Paint; readonly now: number }): string[] {
  const { paint, now } = options;
  const row = (name: string, value: string): string => `${paint.dim(name.padEnd(9))} ${value}`;
  const until = job.endedAt === undefined ? now : Date.parse(job.endedAt);
  const lines = [
    row('job', job.jobId),
    row('agent', printable(job.agent)),
    row('status', statusPaint(job.status, paint)(job.status)),
    row('submitted', `${shortTime(job.createdAt)} UTC`),
    row(job.endedAt === undefined ? 'running' : 'took', clock(Math.max(0, until - Date.parse(job.createdAt)))),
  ];
  if (job.encrypted)
    lines.push(row('encrypted', job.erased ? paint.yellow(`erased ${erasedText(job.erased)}`) : 'yes'));
  const labels = Object.entries(job.labels ?? {});
  if (labels.length > 0)
    lines.push(row('labels', labels.map(([key, value]) => printable(`${key}=${value}`)).join('  ')));
  if (job.phase) {
    const { number, kind, name, state, todosDone, todosTotal, currentTool } = job.phase;
    lines.push(row('phase', `${number} ${kind} (${printable(state)}): ${printable(name)}`));
    lines.push(row('todos', `${paint.cyan(bar(todosDone, todosTotal, BAR_COLUMNS))} ${todosDone}/${todosTotal}`));
    if (currentTool !== undefined) lines.push(row('tool', printable(currentTool)));
  }
  if (job.waitsFor) {
    const { text, problem, since } = job.waitsFor;
    const duration = since === undefined ? '' : `, for ${age(Math.max(0, now - Date.parse(since)))}`;
    lines.push(row('waits for', `${printable(text)}${duration}`));
    if (problem !== undefined) lines.push(row('', paint.yellow(printable(problem))));
  }
  lines.push(row('used', usageText({ usage: job.usage, estimated: false })));
  if (job.result) {
    lines.push(
      row('result', printable(job.result.summary)),
      row('files', job.result.deliverables.map(printable).join('  ')),
    );
    lines.push(row('confidence', `${Math.round(job.result.confidence * 100)} %`));
    if (job.result.notes.trim() !== '') lines.push(row('notes', printable(job.result.notes)));
  }
  if (job.unreadable !== undefined) lines.push(...renderUnreadable(job.jobId, job.unreadable, paint));
  if (job.failure)
    lines.push(row('reason', paint.red(`${printable(job.failure.message)} (${printable(job.failure.code)})`)));
  return lines;
}

/** Renders why a job cannot be read, and what can be done. */
export function renderUnreadable(jobId: string, reason: string, paint: Paint): string[] {
  return [
    `${paint.dim('unreadable')} ${paint.red(printable(reason))}`,
    ...[
      `phaseline cancel ${jobId}  ends the job`,
      `phaseline events ${jobId}  shows which event it is`,
      `phaseline fork ${jobId} --at POSITION  continues from before it`,
    ].map((line) => `${' '.repeat(10)} ${paint.yellow(line)}`),
  ];
}

/** Renders the result of a job that was followed to its end, or why there is none. */
export function renderOutcome(job: JobSummary, paint: Paint): string[] {
  const lines: string[] = [];
  if (job.result) {
    lines.push(printable(job.result.summary));
    if (job.result.deliverables.length > 0) lines.push(`Files: ${job.result.deliverables.map(printable).join(', ')}`);
  }
  if (job.unreadable !== undefined) lines.push(...renderUnreadable(job.jobId, job.unreadable, paint));
  if (job.failure)
    lines.push(paint.red(`${job.status}: ${printable(job.failure.message)} (${printable(job.failure.code)})`));
  return lines;
}
