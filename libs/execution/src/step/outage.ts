import { computeBackoffMs } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import type { ModelError } from '@phaseline/model';

/** An outage as seen by one call. */
export interface Outage {
  /** Number of attempts that failed since the wait began. */
  readonly attempts: number;
  /** Number of times that the server answered other calls but failed this one again. */
  readonly answeredOthers: number;
  /** Number of pauses that ended early because the server could be reached again. */
  readonly probes: number;
}

const PAUSE = { firstMs: 2_000, maxMs: 300_000 };
/** Pauses after an attempt that may be charged. */
const CHARGED_PAUSE = { firstMs: 15_000, maxMs: 3_600_000 };
/**
 * Maximum number of pauses that end early when an attempt may be charged: an unstable server must not cost a
 * reservation each time.
 */
const MAX_EARLY_ATTEMPTS = 5;
/** After this many failures while the server answered other calls, the call itself is at fault, not the server. */
export const MAX_ANSWERED_OTHERS = 3;

/**
 * Returns the pause before the next attempt in milliseconds. It doubles with each attempt, up to five minutes; when an
 * attempt may be charged, up to an hour, so that an outage of hours costs about ten reservations instead of hundreds.
 * It is never shorter than the server requests. The job's id spreads the attempts of many jobs.
 */
export function computePauseMs(
  { attempts }: Outage,
  failed: { readonly mayBeCharged: boolean; readonly retryAfterMs: number | undefined },
  jobId: JobId,
): number {
  const step = computeBackoffMs(failed.mayBeCharged ? CHARGED_PAUSE : PAUSE, attempts + 1);
  const spread = (parseInt(jobId.replaceAll('-', '').slice(-4), 16) || 0) / 0xffff;
  const requestedMs = Math.min(failed.retryAfterMs ?? 0, CHARGED_PAUSE.maxMs);
  return Math.round(Math.max(step * (0.75 + spread / 4), requestedMs));
}

/** Returns whether anything other than the delay and a request may end the pause before the next attempt. */
export function canEndEarly({ probes, answeredOthers }: Outage, { mayBeCharged }: ModelError): boolean {
  return !mayBeCharged || probes + answeredOthers < MAX_EARLY_ATTEMPTS;
}

/** Returns the outage after one more failed attempt; `undefined` stands for no outage so far. */
export function countAttempt(outage: Outage | undefined): Outage {
  return outage ? { ...outage, attempts: outage.attempts + 1 } : { attempts: 0, answeredOthers: 0, probes: 0 };
}
