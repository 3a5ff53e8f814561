import { ServerUnreachable, type PhaselineClient } from '@phaseline/client';
import { WatchLost } from '../command/command-errors.js';
import { LiveArea } from '../output/live-area.js';
import type { Output } from '../output/output.js';
import { printable } from '../output/printable.js';
import { advanceProgress, initialProgress, type JobProgress } from './job-progress.js';
import { progressLine } from './progress-line.js';
import { progressRecord } from './progress-record.js';
import { renderProgress } from './render-progress.js';
import { Standstill, waitsForText } from './standstill.js';

/** Ten drawings a second look alive and cost next to nothing. */
const DRAW_EVERY_MS = 100;

/** With pauses of up to five seconds some fifteen minutes: longer than a deployment or a restart of the database. */
const MAX_RECONNECTS = 220;
/** Cut connections in a row before it is worth a remark: a second or two. */
const REMARK_AFTER_CUTS = 3;

export interface FollowJobOptions {
  readonly out: Output;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** For specs: after how long without an event the job is asked what it waits for. */
  readonly standstillMs?: number;
  /** For specs: how often a connection in a row is made again. */
  readonly maxReconnects?: number;
}

/**
 * Shows a job until it has ended: redrawn lines on a terminal, a line per change elsewhere, a record per event as JSON. While
 * nothing moves it tells what the job waits for.
 * Returns what there is to say in the end. Throws what the client throws, or the signal's reason.
 */
export async function followJob(
  client: Pick<PhaselineClient, 'events' | 'get'>,
  jobId: string,
  options: FollowJobOptions,
): Promise<JobProgress> {
  const { out, signal, now } = options;
  let progress = initialProgress(jobId);
  const live = out.isTerminal && !out.json ? new LiveArea(out) : undefined;
  let frame = 0;
  let away = false;
  const standstill = new Standstill(client, jobId, {
    signal,
    ...(options.standstillMs === undefined ? {} : { afterMs: options.standstillMs }),
    onChange: (waitsFor) => {
      if (out.json) out.record({ kind: 'waiting', waitsFor });
      else if (!live) out.lines(`     …  ${printable(waitsForText(waitsFor))}`);
    },
  });
  const draw = (): void => {
    const { waitsFor } = standstill;
    live?.draw(
      renderProgress(progress, {
        paint: out.paint,
        columns: (out.columns ?? 80) - 1,
        now: now(),
        frame: frame++,
        ...(waitsFor ? { waits: waitsForText(waitsFor) } : {}),
      }),
    );
  };
  const timer = live && setInterval(draw, DRAW_EVERY_MS);
  try {
    const events = client.events(jobId, {
      signal,
      maxReconnects: options.maxReconnects ?? MAX_RECONNECTS,
      onReconnect: (cuts) => {
        if (cuts !== REMARK_AFTER_CUTS) return;
        away = true;
        out.say(`No answer from the server; trying again. The job continues without being watched (${jobId}).`);
      },
      onReconnected: () => {
        if (away) out.say('The server answers again.');
        away = false;
      },
    });
    for await (const event of events) {
      standstill.moved();
      progress = advanceProgress(progress, event);
      if (out.json) out.record(progressRecord(progress, event));
      else if (!live) {
        const line = progressLine(progress, event);
        if (line !== undefined) out.lines(line);
      }
      if (event.unreadable !== undefined && (await isStanding(client, jobId, signal))) break;
    }
    draw();
    return progress;
  } catch (error) {
    if (!(error instanceof ServerUnreachable)) throw error;
    const again = `The job continues without being watched. Watch it again with: phaseline watch ${jobId}`;
    throw new WatchLost(`${error.message}\n${again}`, { cause: error });
  } finally {
    standstill.close();
    clearInterval(timer);
    live?.end();
  }
}

/**
 * Whether the job cannot be read, and has not ended: no service moves it any more. A job with an event of a newer release may go on,
 * and the server says then that it is not ready to answer.
 */
async function isStanding(client: Pick<PhaselineClient, 'get'>, jobId: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { unreadable, endedAt } = await client.get(jobId, { signal });
    return unreadable !== undefined && endedAt === undefined;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
