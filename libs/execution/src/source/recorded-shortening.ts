import { findClearedCalls, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { RecordedPhase } from '@phaseline/repository';

/** Returns the summaries that the recording made before this step and that this phase has not applied yet. */
export function findRecordedSummaries(state: PhaseState, recorded: RecordedPhase): readonly PhaseEvent[] {
  const { summaries = 0, spending } = state;
  return recorded.summaries
    .slice(summaries)
    .filter(({ step }) => step === spending.steps + 1)
    .map((data) => ({ type: 'ConversationSummarised', data }));
}

/**
 * Returns the clearings that the recording made before this step and that this phase has not applied yet, with their
 * files.
 */
export function findRecordedClearings(state: PhaseState, recorded: RecordedPhase): readonly PhaseEvent[] {
  const clearedIds = findClearedCalls(state);
  const { reasoningClearedTo = 0 } = state;
  return recorded.clearings
    .filter(({ step }) => step === state.spending.steps + 1)
    .filter(({ callIds, reasoningTo = 0 }) =>
      callIds.length > 0 ? !callIds.some((callId) => clearedIds.has(callId)) : reasoningTo > reasoningClearedTo,
    )
    .flatMap(({ facts }) => facts);
}
