import { isEnded, isRetryable, jobStatuses } from '@phaseline/contracts';
import { displayWidth, fit, padEnd } from '../output/display-width.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatClock, pluralise, formatCount, formatUsd } from '../output/quantities.js';
import { getCurrentPhase, type JobProgress, type PhaseProgress } from './job-progress.js';

export interface RenderProgressOptions {
  readonly paint: Paint;
  /** Maximum width of a line. */
  readonly columns: number;
  /** Current time in milliseconds since 1970. */
  readonly now: number;
  /** Number of the drawing; selects the frame of the spinner. */
  readonly frame: number;
  /** What the job waits for, if there were no events for a while. */
  readonly waitsFor?: string;
}

/** Statuses of jobs and phases that ended without what they were to make. */
const FAILED: ReadonlySet<string> = new Set(jobStatuses.filter(isRetryable));

/** Frames of the spinner. */
export const SPINNER_FRAMES: readonly string[] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const BAR_COLUMNS = 24;
/** Number of ended phases to show, so that a job of many phases fits on the screen. */
const MAX_ENDED_PHASES_SHOWN = 6;
/** Number of blocked todos whose reasons are shown. `phaseline inbox` shows all. */
const MAX_BLOCKED_TODOS_SHOWN = 3;

/** A piece of a line: its text, and how to colour it once the line is cut to the width. */
type Piece = readonly [text: string, paint?: (text: string) => string];

/** Renders the live view of a job: ended phases, the running phase with a progress bar of its todos, its activity, and the usage. */
export function renderProgress(progress: JobProgress, options: RenderProgressOptions): string[] {
  const { paint } = options;
  const isRunning = !isEnded(progress.status);
  const phase = getCurrentPhase(progress);
  const ended = progress.phases.filter((one) => one.status !== 'running');
  const hidden = Math.max(0, ended.length - MAX_ENDED_PHASES_SHOWN);
  const lines: Piece[][] = [
    [
      [
        isRunning ? SPINNER_FRAMES[options.frame % SPINNER_FRAMES.length]! : getStatusMark(progress.status),
        isRunning ? paint.cyan : getStatusPaint(progress.status, paint),
      ],
      [` ${toPrintable(progress.agent) || 'job'}`, paint.bold],
      [` ${progress.status}`, getStatusPaint(progress.status, paint)],
      [`  ${formatClock(getElapsedMs(progress, options.now))}`],
      [`  ${progress.jobId}`, paint.dim],
    ],
  ];
  if (hidden > 0) lines.push([[`  … ${pluralise(hidden, 'earlier phase')}`, paint.dim]]);
  for (const one of ended.slice(hidden)) lines.push(renderEndedPhase(one, paint));
  if (phase?.status === 'running') lines.push(...renderRunningPhase(phase, paint));
  if (isRunning && options.waitsFor !== undefined) lines.push([[`  ${toPrintable(options.waitsFor)}`, paint.yellow]]);
  lines.push([[`  ${formatUsage(progress)}`, paint.dim]]);
  return lines.map((line) => renderLine(line, options.columns));
}

/** Renders a progress bar of `columns` cells. It is full only if all is done, and empty only if nothing is. */
export function renderBar(done: number, total: number, columns: number): string {
  const exact = total === 0 ? 0 : (done / total) * columns;
  const filled =
    done >= total && total > 0 ? columns : Math.min(columns - 1, done > 0 ? Math.max(1, Math.floor(exact)) : 0);
  return '█'.repeat(filled) + '░'.repeat(columns - filled);
}

/** Formats usage: `34 steps · 120k tokens in (80 % cached) · 4.1k out · $0.0123`. */
export function formatUsage({ usage, isEstimated }: Pick<JobProgress, 'usage' | 'isEstimated'>): string {
  const cached =
    usage.cachedInputTokens > 0 && usage.inputTokens > 0
      ? ` (${Math.round((100 * usage.cachedInputTokens) / usage.inputTokens)} % cached)`
      : '';
  const about = isEstimated ? '~' : '';
  return `${pluralise(usage.steps, 'step')} · ${about}${formatCount(usage.inputTokens)} tokens in${cached} · ${about}${formatCount(usage.outputTokens)} out · ${formatUsd(usage.costMicroUsd)}`;
}

/** Milliseconds from the first event until now, or until the last event if the job has ended. */
export function getElapsedMs(progress: JobProgress, now: number): number {
  if (progress.startedAt === undefined) return 0;
  const until = isEnded(progress.status) && progress.lastEventAt !== undefined ? Date.parse(progress.lastEventAt) : now;
  // The clock of the server may be ahead of this one.
  return Math.max(0, until - Date.parse(progress.startedAt));
}

/** Describes what a phase is doing at the moment; empty between two steps. */
export function describeActivity(phase: PhaseProgress): string {
  const [call, ...others] = phase.openCalls;
  if (call === undefined) return phase.isModelCallOpen ? 'waiting for the model' : '';
  const subject = call.subject === '' ? '' : ` ${toPrintable(call.subject)}`;
  return `${toPrintable(call.name)}${subject}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}

function renderEndedPhase(phase: PhaseProgress, paint: Paint): Piece[] {
  const hasCompleted = phase.status === 'completed';
  return [
    [`  ${getStatusMark(phase.status)} `, hasCompleted ? paint.green : paint.red],
    [padEnd(`${phase.number} ${phase.kind}`, 13), paint.dim],
    [` ${formatDone(phase)} `, paint.dim],
    [` ${toPrintable(phase.name)}`],
    ...(hasCompleted ? [] : ([[` ${phase.status}`, paint.red]] as Piece[])),
  ];
}

function renderRunningPhase(phase: PhaseProgress, paint: Paint): Piece[][] {
  const open = phase.todos.filter((todo) => !todo.isDone);
  const blocked = open.filter((todo) => todo.blocked !== undefined);
  const current = open.find((todo) => todo.blocked === undefined) ?? open[0];
  const currentActivity = describeActivity(phase);
  const lines: Piece[][] = [
    [
      [`  ▶ `, paint.cyan],
      [padEnd(`${phase.number} ${phase.kind}`, 13), paint.bold],
      [`        ${toPrintable(phase.name)}`],
    ],
    [
      ['    '],
      [renderBar(countDone(phase), phase.todos.length, BAR_COLUMNS), paint.cyan],
      [` ${formatDone(phase).trim()} todos`],
      ...(blocked.length > 0 ? ([[`, ${blocked.length} blocked`, paint.yellow]] as Piece[]) : []),
    ],
  ];
  if (current) lines.push([['    todo  ', paint.dim], [`${current.id}. ${toPrintable(current.content)}`]]);
  for (const todo of blocked.slice(0, MAX_BLOCKED_TODOS_SHOWN))
    lines.push([
      ['    block ', paint.dim],
      [`${todo.id}. ${toPrintable(todo.blocked ?? '')}`, paint.yellow],
    ]);
  lines.push([['    now   ', paint.dim], [currentActivity || 'between two steps']]);
  return lines;
}

function countDone(phase: PhaseProgress): number {
  return phase.todos.filter((todo) => todo.isDone).length;
}

function formatDone(phase: PhaseProgress): string {
  return `${countDone(phase)}/${phase.todos.length}`.padStart(5);
}

export function getStatusMark(status: string): string {
  if (status === 'completed') return '✓';
  return FAILED.has(status) ? '✗' : status === 'cancelled' ? '■' : '·';
}

export function getStatusPaint(status: string, paint: Paint): (text: string) => string {
  if (status === 'completed') return paint.green;
  if (FAILED.has(status)) return paint.red;
  return status === 'cancelled' ||
    status === 'cancelling' ||
    status === 'paused' ||
    status === 'waiting-for-approval' ||
    status === 'waiting-for-input'
    ? paint.yellow
    : paint.cyan;
}

/** Cuts the text before colouring it: a truncated colour code would affect everything after it. */
function renderLine(pieces: readonly Piece[], columns: number): string {
  let left = columns;
  let line = '';
  for (const [text, paint] of pieces) {
    const shown = fit(text, left);
    left -= displayWidth(shown);
    line += paint ? paint(shown) : shown;
    if (shown !== text) break;
  }
  return line;
}
