import { isFromNewerRelease, type UndecodableEvent } from '@phaseline/domain';

/** Long enough that a queue with nobody of the newer release is not busy with it, short enough that nobody waits long. */
const REST_MS = 1_500;

/**
 * Does a piece of work, or leaves it to others: when its job has events of a newer release, this process must neither fail
 * it nor hold anything up. The message comes again after a rest, until a process of that release takes it; the rest is
 * spread, so that it is not always the same one that is quicker.
 */
export async function orLeaveToNewer<Result>(
  work: () => Promise<Result>,
  onLeft: (event: UndecodableEvent) => void,
  restMs = REST_MS,
): Promise<Result | { readonly retryAt: number }> {
  try {
    return await work();
  } catch (error) {
    if (!isFromNewerRelease(error)) throw error;
    onLeft(error);
    return { retryAt: Date.now() + restMs * (1 + Math.random()) };
  }
}
