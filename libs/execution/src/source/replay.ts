import {
  listCalls,
  archivePath,
  isAwaitingApproval,
  findClearedCalls,
  buildPhaseFailed,
  type CallState,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import { toCanonicalJson } from '@phaseline/basics';
import { buildNotRecorded, type JobRepository, type RecordedPhase } from '@phaseline/repository';
import { modelProfileSchema } from '@phaseline/model';
import type { PendingCommit } from '../step/pending-commit.js';
import type { ConfiguredModel } from '../ports.js';

/** More tokens than any recorded conversation has, so that a recording is never refused for its length. */
const UNLIMITED_TOKENS = 1_000_000_000;

/**
 * Returns a stand-in for the model of a phase that replays a recording, which is never called; `undefined` for every
 * other phase.
 */
export async function findRecordedModel(
  histories: JobRepository,
  state: PhaseState,
): Promise<ConfiguredModel | undefined> {
  const recorded = await histories.recordings.findReplayed(state);
  if (!recorded) return undefined;
  const profile = modelProfileSchema.parse({ name: 'recorded', model: 'recorded', maxOutputTokens: 16 });
  const model = {
    complete: () => Promise.reject(new Error('a phase that repeats a recording has no model to call')),
  };
  return { profile: { ...profile, name: state.start.model }, model, contextTokens: UNLIMITED_TOKENS, recorded };
}

/** Returns the answer that replaces the model's, as an event: the one a person wrote, else the recorded one. */
export function findSubstituteAnswer(
  state: PhaseState,
  { profile, recorded }: ConfiguredModel,
): PhaseEvent | undefined {
  if (state.openModelCall?.purpose === 'summary') return undefined;
  const step = state.spending.steps + 1;
  if (state.editedAnswer) {
    const { content, reasoning, calls } = state.editedAnswer;
    return {
      type: 'ModelResponded',
      data: {
        step,
        model: profile.name,
        content,
        ...(reasoning === undefined ? {} : { reasoning }),
        calls: calls.map((call, index) => ({ callId: `call_${state.start.phase}_${step}_${index + 1}`, ...call })),
        end: calls.length > 0 ? 'calls' : 'stop',
        usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, estimated: false },
        costMicroUsd: 0,
        durationMs: 0,
      },
    };
  }
  if (!recorded) return undefined;
  const answer = recorded.answers.get(step);
  if (answer) return { type: 'ModelResponded', data: answer };
  if (recorded.failure) return { type: 'PhaseFailed', data: recorded.failure };
  return buildPhaseFailed('not_recorded', `the recording holds no answer ${step} of phase ${state.start.phase}`, false);
}

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

/**
 * Applies the recorded approvals and refusals to the calls that wait for approval. A call without a recorded judgement
 * is refused.
 */
export function applyRecordedJudgements(draft: PendingCommit, recorded: RecordedPhase): void {
  for (const call of listCalls(draft.state).filter(isAwaitingApproval)) {
    const { callId } = call;
    const judgement = recorded.findCall(callId, call.name, call.arguments)?.judgement;
    draft.record(
      judgement ?? {
        type: 'ApprovalRefused',
        data: { callId, actor: 'recording', reason: 'the recording holds no word of a person on it.' },
      },
    );
  }
}

/** Ends an inline call as recorded. The tool is not run; its files are already in the database. */
export function replayInlineCall(draft: PendingCommit, call: CallState, recorded: RecordedPhase): void {
  const found = recorded.findCall(call.callId, call.name, call.arguments);
  if (found?.end) draft.recordWithStoredFiles(...found.facts, found.end);
  else draft.record(buildNotRecorded(call));
}

/**
 * Returns the archive of the todos as recorded, which contains the time it was written. Only when the todos are the
 * same: a fork that took another course writes its own archive.
 */
export function findRecordedArchive(
  { start, todos }: PhaseState,
  recorded: RecordedPhase,
): PhaseEventData<'FileWritten'> | undefined {
  const same = recorded.state && toCanonicalJson(recorded.state.todos) === toCanonicalJson(todos);
  return same ? recorded.ownFiles.get(archivePath(start.phase)) : undefined;
}
