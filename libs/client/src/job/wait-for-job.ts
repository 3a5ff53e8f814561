import { WaitTimedOut } from '../http/client-errors.js';
import { pause } from '../http/pause.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import { isEnded, type JobId } from '@phaseline/contracts';
import { jobSummarySchema, type JobSummary } from './job-summary.js';

export interface WaitOptions {
  /** Maximum time to wait. Default: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Maximum interval between two polls. Default 1,000. */
  readonly pollMs?: number;
}

const FIRST_POLL_MS = 100;
const DEFAULT_MAX_POLL_MS = 1_000;

/**
 * Waits until a job has ended, with any status, and returns it. Polls instead of keeping a stream open: polling works through every proxy,
 * and a restart of the server only causes a retry. Throws WaitTimedOut.
 */
export async function waitForJob(transport: Transport, jobId: JobId, options: WaitOptions = {}): Promise<JobSummary> {
  const { timeoutMs } = options;
  const timeout = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => timeout.abort(), timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout.signal]) : timeout.signal;
  const maxPollMs = options.pollMs ?? DEFAULT_MAX_POLL_MS;
  let pollMs = Math.min(FIRST_POLL_MS, maxPollMs);
  let lastStatus = 'of unknown status';
  try {
    for (;;) {
      const job = await transport.json(
        { method: 'GET', path: routes.job(jobId), signal, isRepeatable: true },
        jobSummarySchema,
      );
      if (isEnded(job.status)) return job;
      lastStatus = job.status;
      await pause(pollMs, signal);
      pollMs = Math.min(pollMs * 1.5, maxPollMs);
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (timeoutMs !== undefined && timeout.signal.aborted) throw new WaitTimedOut(jobId, timeoutMs, lastStatus);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
