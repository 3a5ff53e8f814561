import type { JobSummary } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { formatErasure } from '../erase/render-erased.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatAge, formatClock, formatUsd } from '../output/quantities.js';
import { renderTable, type Column } from '../output/table.js';
import { renderBar, getStatusPaint, formatUsage } from '../progress/render-progress.js';
import { formatTime } from '../event/render-event.js';

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
    { title: 'STATUS', cell: (job) => job.status, paint: (text, job) => getStatusPaint(job.status, paint)(text) },
    { title: 'AGE', align: 'right', cell: (job) => formatAge(Math.max(0, now - Date.parse(job.createdAt))) },
    { title: 'COST', align: 'right', cell: (job) => formatUsd(job.usage.costMicroUsd) },
    { title: 'AGENT', cell: (job) => toPrintable(job.agent) },
    ...(wide ? createWideColumns(now) : []),
    { title: 'PHASE', cell: renderPhaseCell },
  ];
  // With all columns requested, let the terminal wrap lines instead of cutting them.
  return renderTable(columns, jobs, { width: wide ? undefined : options.columns, title: paint.dim });
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
    { title: 'CHANGED', align: 'right', cell: (job) => formatAge(Math.max(0, now - Date.parse(job.updatedAt))) },
    { title: 'STEPS', align: 'right', cell: (job) => String(job.usage.steps) },
    { title: 'TOKENS', align: 'right', cell: (job) => String(job.usage.inputTokens + job.usage.outputTokens) },
    {
      title: 'LABELS',
      cell: (job) =>
        Object.entries(job.labels ?? {})
          .map(([key, value]) => toPrintable(`${key}=${value}`))
          .join(','),
    },
  ];
}

function renderPhaseCell({ phase, unreadableReason }: JobSummary): string {
  if (unreadableReason !== undefined) return `unreadable: ${toPrintable(unreadableReason)}`;
  if (!phase) return '';
  return `${phase.number} ${phase.kind} ${phase.todosDone}/${phase.todosTotal} ${toPrintable(phase.name)}`;
}

/** Renders all details of a job summary. */
export function renderJob(job: JobSummary, options: { readonly paint: Paint; readonly now: number }): string[] {
  const { paint, now } = options;
  const row = (name: string, value: string): string => `${paint.dim(name.padEnd(9))} ${value}`;
  const until = job.endedAt === undefined ? now : Date.parse(job.endedAt);
  const lines = [
    row('job', job.jobId),
    row('agent', toPrintable(job.agent)),
    row('status', getStatusPaint(job.status, paint)(job.status)),
    row('submitted', `${formatTime(job.createdAt)} UTC`),
    row(job.endedAt === undefined ? 'running' : 'took', formatClock(Math.max(0, until - Date.parse(job.createdAt)))),
  ];
  if (job.encrypted)
    lines.push(row('encrypted', job.erasure ? paint.yellow(`erased ${formatErasure(job.erasure)}`) : 'yes'));
  const labels = Object.entries(job.labels ?? {});
  if (labels.length > 0)
    lines.push(row('labels', labels.map(([key, value]) => toPrintable(`${key}=${value}`)).join('  ')));
  if (job.phase) {
    const { number, kind, name, state, todosDone, todosTotal, currentTool } = job.phase;
    lines.push(row('phase', `${number} ${kind} (${toPrintable(state)}): ${toPrintable(name)}`));
    lines.push(row('todos', `${paint.cyan(renderBar(todosDone, todosTotal, BAR_COLUMNS))} ${todosDone}/${todosTotal}`));
    if (currentTool !== undefined) lines.push(row('tool', toPrintable(currentTool)));
  }
  if (job.waitsFor) {
    const { description, problem, command, since } = job.waitsFor;
    const duration = since === undefined ? '' : `, for ${formatAge(Math.max(0, now - Date.parse(since)))}`;
    lines.push(row('waits for', `${toPrintable(description)}${duration}`));
    if (problem !== undefined) lines.push(row('', paint.yellow(toPrintable(problem))));
    if (command !== undefined) lines.push(row('', toPrintable(command)));
  }
  lines.push(row('used', formatUsage({ usage: job.usage, isEstimated: false })));
  if (job.result) {
    lines.push(
      row('result', toPrintable(job.result.summary)),
      row('files', job.result.deliverables.map(toPrintable).join('  ')),
    );
    lines.push(row('confidence', `${Math.round(job.result.confidence * 100)} %`));
    if (job.result.notes.trim() !== '') lines.push(row('notes', toPrintable(job.result.notes)));
  }
  if (job.unreadableReason !== undefined) lines.push(...renderUnreadable(job.jobId, job.unreadableReason, paint));
  if (job.failure)
    lines.push(row('reason', paint.red(`${toPrintable(job.failure.message)} (${toPrintable(job.failure.code)})`)));
  return lines;
}

/** Renders why a job cannot be read, and what can be done. */
function renderUnreadable(jobId: JobId, reason: string, paint: Paint): string[] {
  return [
    `${paint.dim('unreadable')} ${paint.red(toPrintable(reason))}`,
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
    lines.push(toPrintable(job.result.summary));
    if (job.result.deliverables.length > 0) lines.push(`Files: ${job.result.deliverables.map(toPrintable).join(', ')}`);
  }
  if (job.unreadableReason !== undefined) lines.push(...renderUnreadable(job.jobId, job.unreadableReason, paint));
  if (job.failure)
    lines.push(paint.red(`${job.status}: ${toPrintable(job.failure.message)} (${toPrintable(job.failure.code)})`));
  return lines;
}
