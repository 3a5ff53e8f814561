import { displayWidth, fit, padEnd } from '../output/display-width.js';
import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { clock, counted, shortCount, usd } from '../output/quantities.js';
import { currentPhase, type JobProgress, type PhaseProgress } from './job-progress.js';

export interface RenderOptions {
  readonly paint: Paint;
  /** Maximum width of a line. */
  readonly columns: number;
  /** Current time in milliseconds since 1970. */
  readonly now: number;
  /** Number of the drawing; selects the frame of the spinner. */
  readonly frame: number;
  /** What the job waits for, if there were no events for a while. */
  readonly waits?: string;
}

/** Frames of the spinner. */
export const WHEEL: readonly string[] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const BAR_COLUMNS = 24;
/** Number of ended phases to show, so that a job of many phases fits on the screen. */
const MAX_ENDED_PHASES_SHOWN = 6;

/** A piece of a line: its text, and how to colour it once the line is cut to the width. */
type Piece = readonly [text: string, paint?: (text: string) => string];

/** Renders the live view of a job: ended phases, the running phase with a progress bar of its todos, its activity, and the usage. */
export function renderProgress(progress: JobProgress, options: RenderOptions): string[] {
  const { paint } = options;
  const isRunning =
    progress.status !== 'completed' &&
    progress.status !== 'failed' &&
    progress.status !== 'cancelled' &&
    progress.status !== 'blocked';
  const phase = currentPhase(progress);
  const ended = progress.phases.filter((one) => one.status !== 'running');
  const hidden = Math.max(0, ended.length - MAX_ENDED_PHASES_SHOWN);
  const lines: Piece[][] = [
    [
      [
        isRunning ? WHEEL[options.frame % WHEEL.length]! : statusMark(progress.status),
        isRunning ? paint.cyan : statusPaint(progress.status, paint),
      ],
      [` ${printable(progress.agent) || 'job'}`, paint.bold],
      [` ${progress.status}`, statusPaint(progress.status, paint)],
      [`  ${clock(elapsedMs(progress, options.now))}`],
      [`  ${progress.jobId}`, paint.dim],
    ],
  ];
  if (hidden > 0) lines.push([[`  … ${counted(hidden, 'earlier phase')}`, paint.dim]]);
  for (const one of ended.slice(hidden)) lines.push(renderEndedPhase(one, paint));
  if (phase?.status === 'running') lines.push(...renderRunningPhase(phase, paint));
  if (isRunning && options.waits !== undefined) lines.push([[`  ${printable(options.waits)}`, paint.yellow]]);
  lines.push([[`  ${usageText(progress)}`, paint.dim]]);
  return lines.map((line) => renderLine(line, options.columns));
}

/** Renders a progress bar of `columns` cells. It is full only if all is done, and empty only if nothing is. */
export function bar(done: number, total: number, columns: number): string {
  const exact = total === 0 ? 0 : (done / total) * columns;
  const filled =
    done >= total && total > 0 ? columns : Math.min(columns - 1, done > 0 ? Math.max(1, Math.floor(exact)) : 0);
  return '█'.repeat(filled) + '░'.repeat(columns - filled);
}

/** Formats usage: `34 steps · 120k tokens in (80 % cached) · 4.1k out · $0.0123`. */
export function usageText({ usage, estimated }: Pick<JobProgress, 'usage' | 'estimated'>): string {
  const cached =
    usage.cachedInputTokens > 0 && usage.inputTokens > 0
      ? ` (${Math.round((100 * usage.cachedInputTokens) / usage.inputTokens)} % cached)`
      : '';
  const about = estimated ? '~' : '';
  return `${counted(usage.steps, 'step')} · ${about}${shortCount(usage.inputTokens)} tokens in${cached} · ${about}${shortCount(usage.outputTokens)} out · ${usd(usage.costMicroUsd)}`;
}

/** Milliseconds from the first event until now, or until the last event if the job has ended. */
export function elapsedMs(progress: JobProgress, now: number): number {
  if (progress.startedAt === undefined) return 0;
  const hasEnded = ['completed', 'failed', 'cancelled', 'blocked'].includes(progress.status);
  const until = hasEnded && progress.lastEventAt !== undefined ? Date.parse(progress.lastEventAt) : now;
  // The clock of the server may be ahead of this one.
  return Math.max(0, until - Date.parse(progress.startedAt));
}

/** Describes what a phase is doing at the moment; empty between two steps. */
export function activity(phase: PhaseProgress): string {
  const [call, ...others] = phase.openCalls;
  if (call === undefined) return phase.thinking ? 'waiting for the model' : '';
  const subject = call.subject === '' ? '' : ` ${printable(call.subject)}`;
  return `${printable(call.name)}${subject}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}

function renderEndedPhase(phase: PhaseProgress, paint: Paint): Piece[] {
  const hasCompleted = phase.status === 'completed';
  return [
    [`  ${statusMark(phase.status)} `, hasCompleted ? paint.green : paint.red],
    [padEnd(`${phase.number} ${phase.kind}`, 13), paint.dim],
    [` ${formatDone(phase)} `, paint.dim],
    [` ${printable(phase.name)}`],
    ...(hasCompleted ? [] : ([[` ${phase.status}`, paint.red]] as Piece[])),
  ];
}

function renderRunningPhase(phase: PhaseProgress, paint: Paint): Piece[][] {
  const current = phase.todos.find((todo) => !todo.done);
  const currentActivity = activity(phase);
  const lines: Piece[][] = [
    [
      [`  ▶ `, paint.cyan],
      [padEnd(`${phase.number} ${phase.kind}`, 13), paint.bold],
      [`        ${printable(phase.name)}`],
    ],
    [
      ['    '],
      [bar(countDone(phase), phase.todos.length, BAR_COLUMNS), paint.cyan],
      [` ${formatDone(phase).trim()} todos`],
    ],
  ];
  if (current) lines.push([['    todo  ', paint.dim], [`${current.id}. ${printable(current.content)}`]]);
  lines.push([['    now   ', paint.dim], [currentActivity || 'between two steps']]);
  return lines;
}

function countDone(phase: PhaseProgress): number {
  return phase.todos.filter((todo) => todo.done).length;
}

function formatDone(phase: PhaseProgress): string {
  return `${countDone(phase)}/${phase.todos.length}`.padStart(5);
}

export function statusMark(status: string): string {
  if (status === 'completed') return '✓';
  return status === 'failed' || status === 'blocked' ? '✗' : status === 'cancelled' ? '■' : '·';
}

export function statusPaint(status: string, paint: Paint): (text: string) => string {
  if (status === 'completed') return paint.green;
  if (status === 'failed' || status === 'blocked') return paint.red;
  return status === 'cancelled' || status === 'cancelling' || status === 'paused' || status === 'waiting_for_approval'
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
