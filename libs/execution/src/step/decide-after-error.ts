import { canAwaitModel, type PhaseState } from '@phaseline/domain';
import { canRetry, isOutage, type ModelError, type ModelProfile } from '@phaseline/model';
import { MAX_ANSWERED_OTHERS, type Outage } from './outage.js';

/**
 * What follows a failed attempt: another attempt immediately, one after a pause because the server is unreachable, or the end
 * of the phase, either because the server was unreachable for too long or because of the error.
 */
export type AfterError = 'retry' | 'wait' | 'fail-after-outage' | 'fail';

/**
 * Decides what follows a failed attempt. `outage` is the outage during which the attempt was made, if the call already
 * waited for its server.
 */
export function decideAfterError(
  state: PhaseState,
  error: ModelError,
  outage: Outage | undefined,
  { retries }: Pick<ModelProfile, 'retries'>,
  now: Date,
): AfterError {
  // The turn was over. The reservation of the next attempt is refused for that, unless a person has begun another turn meanwhile.
  if (error.code === 'aborted') return 'retry';
  // A worker that takes over a waiting call makes no retries in addition to the wait, because each may be charged.
  const isWaiting = outage !== undefined || state.modelCall.awaited !== undefined;
  if (!isWaiting && canRetry(error, retries)) return 'retry';
  if (!isServerAway(error, outage)) return 'fail';
  if (canAwaitModel(state, retries.waitMs, now)) return 'wait';
  return state.modelCall.awaited ? 'fail-after-outage' : 'fail';
}

/** Returns whether the server itself failed, so that the call can wait for it. */
function isServerAway(error: ModelError, outage: Outage | undefined): boolean {
  if (!isOutage(error)) return false;
  return !error.mayBeCharged || (outage?.answeredOthers ?? 0) < MAX_ANSWERED_OTHERS;
}
