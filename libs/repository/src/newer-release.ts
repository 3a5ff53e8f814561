import { isFromNewerRelease, type UndecodableEvent } from '@phaseline/domain';

/** Delay before the message is delivered again: long enough not to burden a queue without newer processes, short enough to hand over quickly. */
const RETRY_DELAY_MS = 1_500;

/**
 * Runs work on a job, or leaves the work to a newer release if the job has events of that release. In that case this
 * process must neither fail the job nor block the queue: the message is delivered again after a delay, until a process of
 * that release takes it. The delay is randomised, so that the same process does not always win.
 */
export async function runOrLeaveToNewerRelease<Result>(
  work: () => Promise<Result>,
  onLeft: (event: UndecodableEvent) => void,
  retryDelayMs = RETRY_DELAY_MS,
): Promise<Result | { readonly retryAt: number }> {
  try {
    return await work();
  } catch (error) {
    if (!isFromNewerRelease(error)) throw error;
    onLeft(error);
    return { retryAt: Date.now() + retryDelayMs * (1 + Math.random()) };
  }
}
