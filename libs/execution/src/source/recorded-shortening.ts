import { findClearedCalls, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { RecordedPhase } from '@phaseline/repository';

/** Returns the summaries that the recording made before this step and that this phase has not applied yet. */
export function findRecordedSummaries(state: PhaseState, recorded: RecordedPhase): readonly PhaseEvent[] {
  const { summaries = 0 } = state.conversation;
  return recorded.summaries
    .slice(summaries)
    .filter(({ step }) => step === state.money.spending.steps + 1)
    .map((data) => ({ type: 'ConversationSummarised', data }));
}

/**
 * Returns the clearings that the recording made before this step and that this phase has not applied yet, with their
 * files.
 */
export function findRecordedClearings(state: PhaseState, recorded: RecordedPhase): readonly PhaseEvent[] {
  const clearedIds = findClearedCalls(state);
  const { reasoningClearedToStep = 0 } = state.conversation;
  return recorded.clearings
    .filter(({ step }) => step === state.money.spending.steps + 1)
    .filter(({ callIds, reasoningTo = 0 }) =>
      callIds.length > 0 ? !callIds.some((callId) => clearedIds.has(callId)) : reasoningTo > reasoningClearedToStep,
    )
    .flatMap(({ facts }) => facts);
}
