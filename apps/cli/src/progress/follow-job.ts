import { ServerUnreachable, type PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { WatchLost } from '../command/command-errors.js';
import { LiveArea } from '../output/live-area.js';
import type { Output } from '../output/output.js';
import { toPrintable } from '../output/printable.js';
import { advanceProgress, createProgress, type JobProgress } from './job-progress.js';
import { renderProgressLine } from './render-progress-line.js';
import { toProgressRecord } from './progress-record.js';
import { renderProgress } from './render-progress.js';
import { StandstillMonitor, formatWaitsFor } from './standstill-monitor.js';

const REDRAW_INTERVAL_MS = 100;

/** About fifteen minutes with pauses of up to five seconds: longer than a deployment or a restart of the database. */
const MAX_RECONNECTS = 220;
/** Number of consecutive failed connections before the user is told: a second or two. */
const NOTIFY_AFTER_RECONNECTS = 3;

export interface FollowJobOptions {
  readonly out: Output;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** For specs: time in milliseconds without an event after which the job is queried for what it waits for. */
  readonly standstillMs?: number;
  /** For specs: maximum number of consecutive reconnects. */
  readonly maxReconnects?: number;
}

/**
 * Shows the progress of a job until it ends: redrawn lines on a terminal, a line per change elsewhere, a record per event with
 * `--json`. While there are no events it shows what the job waits for.
 * Returns the final progress. Throws WatchLost, the client's errors, or the signal's reason.
 */
export async function followJob(
  client: Pick<PhaselineClient, 'events' | 'get'>,
  jobId: JobId,
  options: FollowJobOptions,
): Promise<JobProgress> {
  const { out, signal, now } = options;
  let progress = createProgress(jobId);
  const live = out.isTerminal && !out.isStructured ? new LiveArea(out) : undefined;
  let frame = 0;
  let isServerAway = false;
  const standstill = new StandstillMonitor(client, jobId, {
    signal,
    ...(options.standstillMs === undefined ? {} : { afterMs: options.standstillMs }),
    onChange: (waitsFor) => {
      if (out.isStructured) out.writeRecord({ kind: 'waiting', waitsFor });
      else if (!live) out.writeLines(`     …  ${toPrintable(formatWaitsFor(waitsFor))}`);
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
        ...(waitsFor ? { waitsFor: formatWaitsFor(waitsFor) } : {}),
      }),
    );
  };
  const timer = live && setInterval(draw, REDRAW_INTERVAL_MS);
  try {
    const events = client.events(jobId, {
      signal,
      maxReconnects: options.maxReconnects ?? MAX_RECONNECTS,
      onReconnect: (attempts) => {
        if (attempts !== NOTIFY_AFTER_RECONNECTS) return;
        isServerAway = true;
        out.writeMessage(`The server does not respond; reconnecting. The job ${jobId} continues meanwhile.`);
      },
      onReconnected: () => {
        if (isServerAway) out.writeMessage('Connected to the server again.');
        isServerAway = false;
      },
    });
    for await (const event of events) {
      standstill.recordEvent();
      progress = advanceProgress(progress, event);
      if (out.isStructured) out.writeRecord(toProgressRecord(progress, event));
      else if (!live) {
        const line = renderProgressLine(progress, event);
        if (line !== undefined) out.writeLines(line);
      }
      if (event.unreadableReason !== undefined && (await isBlockedByEvent(client, jobId, signal))) break;
    }
    draw();
    return progress;
  } catch (error) {
    if (!(error instanceof ServerUnreachable)) throw error;
    const advice = `The job continues. Watch it again with: phaseline watch ${jobId}`;
    throw new WatchLost(`${error.message}\n${advice}`, { cause: error });
  } finally {
    standstill.close();
    clearInterval(timer);
    live?.end();
  }
}

/**
 * Whether the job is unreadable and has not ended, so that no service continues it. A job with an event of a newer release may
 * continue; in that case the server responds that it is not ready.
 */
async function isBlockedByEvent(
  client: Pick<PhaselineClient, 'get'>,
  jobId: JobId,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { unreadableReason, endedAt } = await client.get(jobId, { signal });
    return unreadableReason !== undefined && endedAt === undefined;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
