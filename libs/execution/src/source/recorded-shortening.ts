import { toCanonicalJson } from '@phaseline/basics';
import { findClearedCalls, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { RecordedPhase } from '@phaseline/repository';

/**
 * Whether a fork shortens its conversation as the recording did. It does not if settings differ that decide when results are cleared and what is
 * summarised, or texts whose length counts: then the recorded clearings and summaries are not those of the fork.
 */
export function isShortenedAsRecorded(start: PhaseState['start'], { state, modelCalls }: RecordedPhase): boolean {
  // A recording without calls of the model has no response either, so that nothing has to be shortened.
  if (!state || modelCalls.size === 0) return true;
  const toShortening = ({ terms: { context, promptTexts = {} } }: PhaseState['start']): string =>
    toCanonicalJson({ context, promptTexts });
  return toShortening(start) === toShortening(state.start);
}

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
