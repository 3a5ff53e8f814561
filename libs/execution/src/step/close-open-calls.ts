import { hasCallEnded, listCalls, type PhaseEvent, type PhaseState } from '@phaseline/domain';

/**
 * Ends the calls of a phase that fails while they are open, such as a claim that waits for a judge who cannot be paid: a valid history has a
 * result for every call.
 */
export function closeOpenCalls(state: PhaseState): readonly PhaseEvent[] {
  return listCalls(state)
    .filter((call) => !hasCallEnded(call))
    .map(({ callId }): PhaseEvent => ({
      type: 'ToolCallFailed',
      data: {
        callId,
        code: 'cancelled',
        message: 'The phase failed before this call finished.',
        attempts: 0,
        durationMs: 0,
      },
    }));
}
