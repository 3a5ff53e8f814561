import { computeRemainingTurnMs, type PhaseState } from '@phaseline/domain';
import { realTimers } from '../timers.js';

/** A call of the model, and how long it took. */
export interface TimedCall<Result> {
  readonly result: Result;
  readonly durationMs: number;
}

/**
 * Makes a call whose signal fires when the work time of the turn is used up, in addition to `signal`. A call that was stopped has then taken
 * at least that time, whatever the clock says, so that the turn is over.
 */
export async function callWithinTurn<Result>(
  state: PhaseState,
  signal: AbortSignal,
  now: () => number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<TimedCall<Result>> {
  const startedAt = now();
  const measure = (): number => Math.max(0, Math.round(now() - startedAt));
  const remainingMs = computeRemainingTurnMs(state);
  if (remainingMs === undefined) return { result: await call(signal), durationMs: measure() };
  const limit = new AbortController();
  const cancel = realTimers.schedule(remainingMs, () => limit.abort());
  try {
    const result = await call(AbortSignal.any([signal, limit.signal]));
    return { result, durationMs: limit.signal.aborted ? Math.max(remainingMs, measure()) : measure() };
  } finally {
    cancel();
  }
}
