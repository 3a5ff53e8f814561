import { displayWidth, fit, padEnd } from '../output/display-width.js';
import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { clock, counted, shortCount, usd } from '../output/quantities.js';
import { currentPhase, type JobProgress, type PhaseProgress } from './job-progress.js';

export interface RenderOptions {
  readonly paint: Paint;
  /** No line is wider. */
  readonly columns: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Rises with each drawing; turns the wheel. */
  readonly frame: number;
  /** What the job waits for, where nothing has moved for a while. */
  readonly waits?: string;
}

/** Turned by one at each drawing, to show that something is alive. */
export const WHEEL: readonly string[] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const BAR_COLUMNS = 24;
/** A job of many phases must not push its own top off the screen. */
const SHOWN_ENDED_PHASES = 6;

/** A piece of a line: its text, and how to colour it after the line was cut to the width. */
type Piece = readonly [text: string, paint?: (text: string) => string];

/** The live view of a job: what ended, the phase at hand with its todos as a bar, the tool that runs, and what it took. */
export function renderProgress(progress: JobProgress, options: RenderOptions): string[] {
  const { paint } = options;
  const running =
    progress.status !== 'completed' &&
    progress.status !== 'failed' &&
    progress.status !== 'cancelled' &&
    progress.status !== 'blocked';
  const phase = currentPhase(progress);
  const ended = progress.phases.filter((one) => one.status !== 'running');
  const hidden = Math.max(0, ended.length - SHOWN_ENDED_PHASES);
  const lines: Piece[][] = [
    [
      [
        running ? WHEEL[options.frame % WHEEL.length]! : statusMark(progress.status),
        running ? paint.cyan : statusPaint(progress.status, paint),
      ],
      [` ${printable(progress.agent) || 'job'}`, paint.bold],
      [` ${progress.status}`, statusPaint(progress.status, paint)],
      [`  ${clock(elapsedMs(progress, options.now))}`],
      [`  ${progress.jobId}`, paint.dim],
    ],
  ];
  if (hidden > 0) lines.push([[`  … ${counted(hidden, 'earlier phase')}`, paint.dim]]);
  for (const one of ended.slice(hidden)) lines.push(endedPhase(one, paint));
  if (phase?.status === 'running') lines.push(...runningPhase(phase, paint));
  if (running && options.waits !== undefined) lines.push([[`  ${printable(options.waits)}`, paint.yellow]]);
  lines.push([[`  ${usageText(progress)}`, paint.dim]]);
  return lines.map((line) => draw(line, options.columns));
}

/** A bar of `columns` cells, filled as far as `done` of `total`. Never full before all is done, never empty once something is. */
export function bar(done: number, total: number, columns: number): string {
  const exact = total === 0 ? 0 : (done / total) * columns;
  const filled =
    done >= total && total > 0 ? columns : Math.min(columns - 1, done > 0 ? Math.max(1, Math.floor(exact)) : 0);
  return '█'.repeat(filled) + '░'.repeat(columns - filled);
}

/** `34 steps · 120k tokens in (80 % cached) · 4.1k out · $0.0123` */
export function usageText({ usage, estimated }: Pick<JobProgress, 'usage' | 'estimated'>): string {
  const cached =
    usage.cachedInputTokens > 0 && usage.inputTokens > 0
      ? ` (${Math.round((100 * usage.cachedInputTokens) / usage.inputTokens)} % cached)`
      : '';
  const about = estimated ? '~' : '';
  return `${counted(usage.steps, 'step')} · ${about}${shortCount(usage.inputTokens)} tokens in${cached} · ${about}${shortCount(usage.outputTokens)} out · ${usd(usage.costMicroUsd)}`;
}

/** Since the first event; until the last one for a job that has ended. */
export function elapsedMs(progress: JobProgress, now: number): number {
  if (progress.startedAt === undefined) return 0;
  const over = ['completed', 'failed', 'cancelled', 'blocked'].includes(progress.status);
  const until = over && progress.lastEventAt !== undefined ? Date.parse(progress.lastEventAt) : now;
  // The clock of the server may run ahead of this one.
  return Math.max(0, until - Date.parse(progress.startedAt));
}

/** What happens in a phase at this moment. */
export function activity(phase: PhaseProgress): string {
  const [call, ...others] = phase.openCalls;
  if (call === undefined) return phase.thinking ? 'the model thinks' : '';
  const subject = call.subject === '' ? '' : ` ${printable(call.subject)}`;
  return `${printable(call.name)}${subject}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}

function endedPhase(phase: PhaseProgress, paint: Paint): Piece[] {
  const good = phase.status === 'completed';
  return [
    [`  ${statusMark(phase.status)} `, good ? paint.green : paint.red],
    [padEnd(`${phase.number} ${phase.kind}`, 13), paint.dim],
    [` ${doneText(phase)} `, paint.dim],
    [` ${printable(phase.name)}`],
    ...(good ? [] : ([[` ${phase.status}`, paint.red]] as Piece[])),
  ];
}

function runningPhase(phase: PhaseProgress, paint: Paint): Piece[][] {
  const current = phase.todos.find((todo) => !todo.done);
  const doing = activity(phase);
  const lines: Piece[][] = [
    [
      [`  ▶ `, paint.cyan],
      [padEnd(`${phase.number} ${phase.kind}`, 13), paint.bold],
      [`        ${printable(phase.name)}`],
    ],
    [
      ['    '],
      [bar(doneCount(phase), phase.todos.length, BAR_COLUMNS), paint.cyan],
      [` ${doneText(phase).trim()} todos`],
    ],
  ];
  if (current) lines.push([['    todo  ', paint.dim], [`${current.id}. ${printable(current.content)}`]]);
  lines.push([['    now   ', paint.dim], [doing || 'between two steps']]);
  return lines;
}

function doneCount(phase: PhaseProgress): number {
  return phase.todos.filter((todo) => todo.done).length;
}

function doneText(phase: PhaseProgress): string {
  return `${doneCount(phase)}/${phase.todos.length}`.padStart(5);
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

/** Cuts first and colours then: a colour code that is cut in two would leak into everything behind it. */
function draw(pieces: readonly Piece[], columns: number): string {
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
