import type { CallId, EventId, JobId } from '@phaseline/contracts';
import { isOpenCall, phaseStream, type AdmittedCall, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { deriveEventId } from '@phaseline/repository';

/** A remote call, as its message names it. */
export interface CallRequest {
  readonly jobId: JobId;
  readonly phase: number;
  readonly callId: CallId;
  /** Number of takeovers of the phase when the message was sent. */
  readonly epoch: number;
}

/** Returns the call if the log still waits for it and its message is not older than a takeover. */
export function findOpenCall(state: PhaseState, request: CallRequest): AdmittedCall | undefined {
  const call = state.calls.byId[request.callId];
  return call && !state.end && isOpenCall(call) && request.epoch >= state.modelCall.epoch ? call : undefined;
}

/** The id of the event that ends a call, by its index in `events`. It is always the same, so that the end of a call is recorded once. */
export function deriveEndIds(
  events: readonly PhaseEvent[],
  { jobId, phase, callId }: CallRequest,
): Readonly<Record<number, EventId>> {
  // Decisions of guards may follow the end.
  const index = events.findLastIndex(
    ({ type, data }) => (type === 'ToolCallCompleted' || type === 'ToolCallFailed') && data.callId === callId,
  );
  return { [index]: deriveEventId(`${phaseStream(jobId, phase)}/${callId}/end`) };
}
