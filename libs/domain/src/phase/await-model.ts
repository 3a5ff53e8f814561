import type { PhaseEvent } from './phase-events.js';
import type { PhaseState } from './phase-state.js';

/** What an attempt failed of. */
interface Outage {
  readonly code: string;
  readonly message: string;
}

/**
 * The fact that the open call waits for its model server, with the time at which it gives up (`waitMs` from now); `undefined` where that is recorded
 * already. The wait counts from the first failure, whoever takes the phase over meanwhile.
 */
export function awaitModel(state: PhaseState, outage: Outage, waitMs: number, now: Date): PhaseEvent | undefined {
  const { openModelCall, awaitedModel, start } = state;
  if (!openModelCall || awaitedModel) return undefined;
  return {
    type: 'ModelAwaited',
    data: {
      step: openModelCall.step,
      model: start.model,
      code: outage.code,
      message: outage.message,
      since: now.toISOString(),
      until: new Date(now.getTime() + waitMs).toISOString(),
    },
  };
}

/** Whether a call whose model server is away may wait for it, or wait on. */
export function mayAwaitModel({ awaitedModel }: PhaseState, waitMs: number, now: Date): boolean {
  if (awaitedModel) return now.getTime() < Date.parse(awaitedModel.until);
  return waitMs > 0;
}
