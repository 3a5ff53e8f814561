import { selectResultsOverLimit, selectResultsToClear, type Clearing } from '@phaseline/context';
import type { CallId } from '@phaseline/contracts';
import { listLastAnswerCalls, resultPath } from '@phaseline/domain';
import { storeLongResult } from '@phaseline/tools';
import { decideCompaction, type DecidedCompaction } from '../guards/decide-compaction.js';
import type { GuardParts } from '../guards/decide-moment.js';
import { getReasoningMode, buildNextPrompt, maxPromptTokensOf, planSummaryIfTooLong } from './call-model.js';
import type { PendingCommit } from './pending-commit.js';
import type { ConfiguredModel, NextCall } from '../ports.js';

/**
 * Builds the prompt of the next call and keeps it within its limit. Lossless measures come first: old results are
 * cleared, and old reasoning if it is sent back to the model. Then the conversation is summarised. Results move into files
 * before the model has seen them only when the results of the last answer alone exceed what the model accepts. `compaction` is what guards
 * decided already about summarising. Returns undefined if command guards have to decide about it first.
 */
export async function prepareNextCall(
  commit: PendingCommit,
  model: ConfiguredModel,
  parts: GuardParts,
  compaction: DecidedCompaction | undefined,
): Promise<NextCall | undefined> {
  const { tools } = parts;
  const clearable = selectResultsToClear(commit.state, getReasoningMode(model));
  if (clearable) clearResults(commit, clearable, false);
  const prompt = await buildNextPrompt(commit, tools, model);
  const summary = planSummaryIfTooLong(commit.state, prompt, model);
  if (summary) {
    const decided = compaction ?? (await decideCompaction(commit, parts));
    if (decided === 'wait') return undefined;
    // A guard may keep the conversation whole. The model then has to accept the prompt as it is.
    if (decided === 'allowed') return { prompt: summary.prompt, purpose: 'summary' };
  }
  const tooLong = selectResultsOverLimit(
    commit.state,
    prompt.ledger.total - maxPromptTokensOf(model),
    getReasoningMode(model),
  );
  if (!tooLong) return { prompt };
  clearResults(commit, tooLong, true);
  return { prompt: await buildNextPrompt(commit, tools, model) };
}

/**
 * Clears results. Those that a second call would not reproduce (of tools that are not `pure`, or all) are kept as
 * files. The file belongs to its call, so that a fork that repeats the call has it too.
 */
function clearResults(commit: PendingCommit, { callIds, tokens, reasoning }: Clearing, keepAll: boolean): void {
  for (const { callId, isRepeatable, text } of resultsOf(commit, new Set(callIds))) {
    const { tree } = commit.workspace;
    if (Object.hasOwn(tree, resultPath(callId))) continue;
    if (!keepAll && isRepeatable) continue;
    commit.changeFiles(storeLongResult(text, { callId, tree, maxCharacters: 0, canReadFiles: false }).files, callId);
  }
  if (callIds.length > 0) commit.record({ type: 'ToolResultsCleared', data: { callIds: [...callIds], tokens } });
  if (reasoning) commit.record({ type: 'ReasoningCleared', data: reasoning });
}

function resultsOf({ state }: PendingCommit, callIds: ReadonlySet<CallId>) {
  const earlier = state.conversation.transcript.flatMap((entry) =>
    entry.kind === 'answer'
      ? entry.answer.calls.map(({ callId }) => ({
          callId,
          isRepeatable: !entry.notRepeatable?.includes(callId),
          text: entry.results?.[callId] ?? '',
        }))
      : [],
  );
  const current = listLastAnswerCalls(state).map((call) => ({
    callId: call.callId,
    isRepeatable: call.status === 'denied' || call.effect === 'pure',
    text: call.result ?? '',
  }));
  const all = new Map([...earlier, ...current].map((result) => [result.callId, result]));
  return [...callIds].flatMap((callId) => all.get(callId) ?? []);
}
