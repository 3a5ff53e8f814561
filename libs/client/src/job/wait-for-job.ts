import { WaitTimedOut } from '../http/client-errors.js';
import { pause } from '../http/pause.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import { isEnded } from './job-status.js';
import { jobSummarySchema, type JobSummary } from './job-summary.js';

export interface WaitOptions {
  /** Give up after this long. No limit where it is missing. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The longest pause between two looks. */
  readonly pollMs?: number;
}

const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 1_000;

/**
 * The job once it has ended, however it ended. It asks again and again, rather than to hold a stream open: that works
 * through every proxy, and a restart of the server is only a retry. Throws WaitTimedOut.
 */
export async function waitForJob(transport: Transport, jobId: string, options: WaitOptions = {}): Promise<JobSummary> {
  const { timeoutMs } = options;
  const limit = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => limit.abort(), timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, limit.signal]) : limit.signal;
  const longestPollMs = options.pollMs ?? LONGEST_POLL_MS;
  let pollMs = Math.min(FIRST_POLL_MS, longestPollMs);
  let lastStatus = 'of unknown status';
  try {
    for (;;) {
      const job = await transport.json(
        { method: 'GET', path: routes.job(jobId), signal, repeatable: true },
        jobSummarySchema,
      );
      if (isEnded(job.status)) return job;
      lastStatus = job.status;
      await pause(pollMs, signal);
      pollMs = Math.min(pollMs * 1.5, longestPollMs);
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (timeoutMs !== undefined && limit.signal.aborted) throw new WaitTimedOut(jobId, timeoutMs, lastStatus);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
