import type { PhaseEvent } from './phase-events.js';
import type { PhaseState } from './phase-state.js';

/** Why an attempt to call the model failed. */
interface Outage {
  readonly code: string;
  readonly message: string;
}

/**
 * Builds the event that the open call waits for its model server, with the time at which it gives up (`waitMs` from now).
 * Returns `undefined` if the wait is recorded already: the wait counts from the first failure, also after a takeover.
 */
export function buildModelAwaited(
  state: PhaseState,
  outage: Outage,
  waitMs: number,
  now: Date,
): PhaseEvent | undefined {
  const { open, awaited } = state.modelCall;
  if (!open || awaited) return undefined;
  return {
    type: 'ModelAwaited',
    data: {
      step: open.step,
      model: state.start.terms.model,
      code: outage.code,
      message: outage.message,
      since: now.toISOString(),
      until: new Date(now.getTime() + waitMs).toISOString(),
    },
  };
}

/** Whether a call whose model server is unavailable may start or continue to wait for it. */
export function canAwaitModel({ modelCall: { awaited } }: PhaseState, waitMs: number, now: Date): boolean {
  if (awaited) return now.getTime() < Date.parse(awaited.until);
  return waitMs > 0;
}
