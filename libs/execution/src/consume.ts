import type { JobId } from '@phaseline/contracts';
import { runOrLeaveToNewerRelease, withholdContent } from '@phaseline/repository';

/**
 * How a run left its message: `released`, with nothing more to do for now; `owned-elsewhere`, when another process holds
 * the work (check again later); `interrupted` by shutdown (put the message back on the queue); or `model-unreachable`, when the
 * model server cannot even report its limits (check again in a while).
 */
export type RunOutcome = 'released' | 'owned-elsewhere' | 'interrupted' | 'model-unreachable';

/** Delay in milliseconds before work that another process holds is checked again. */
const RECHECK_DELAY_MS = 1_500;
/** Delay in milliseconds before a model server that did not report its limits is queried again. */
const MODEL_RECHECK_DELAY_MS = 15_000;

/** Postpones a message to `retryAt`, in milliseconds since 1970. */
export interface Redelivery {
  readonly retryAt: number;
}

/**
 * Handles one message: runs its work and returns when the message has to be delivered again, or `undefined` when it is
 * done. A job with events of a newer release is returned to the queue for processes of that release, after a call of `onLeft`. Errors of
 * encrypted jobs are replaced by ContentWithheld.
 */
export function consume(
  jobId: JobId,
  work: () => Promise<RunOutcome>,
  onLeft: (error: Error) => void,
): Promise<Redelivery | undefined> {
  return runOrLeaveToNewerRelease(async () => decideRedelivery(await withholdContent(jobId, work), Date.now()), onLeft);
}

/** Decides when the message of a run is delivered again; `undefined` when it is done. */
export function decideRedelivery(outcome: RunOutcome, now: number): Redelivery | undefined {
  switch (outcome) {
    case 'released':
      return undefined;
    case 'owned-elsewhere':
      return { retryAt: now + RECHECK_DELAY_MS };
    case 'model-unreachable':
      return { retryAt: now + MODEL_RECHECK_DELAY_MS };
    case 'interrupted':
      // This process is shutting down, so another may take the work immediately.
      return { retryAt: now };
  }
}
