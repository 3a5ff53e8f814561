import { listLastAnswerCalls, type PhaseState } from '@phaseline/domain';
import { type ReasoningMode, type CallId } from '@phaseline/contracts';
import { findReasoningCarriers } from './build-prompt.js';
import { countTokens } from './count-tokens.js';
import { listResults, REMARK_TOKENS, type OldResult } from './result-list.js';

/** Fraction of `clearTokens` that is enough when the prompt cache is invalidated anyway. */
const CHEAP_SHARE = 1 / 8;

export interface Clearing {
  readonly callIds: readonly CallId[];
  /** Tokens saved in every later call by clearing these results. */
  readonly tokens: number;
  /** Reasoning to clear as well, if reasoning is sent back to the model. */
  readonly reasoning?: ReasoningClearing;
}

interface ReasoningClearing {
  /** The last step whose answer loses its reasoning. */
  readonly upToStep: number;
  readonly tokens: number;
}

/**
 * Selects the old tool results to clear now: all but those of the latest calls, once their total is large enough. If
 * reasoning is sent back, that of the answers that made those calls counts and is cleared too.
 * Cleared results can be fetched again, but clearing invalidates the server's prompt cache from the first cleared result on.
 * So results are cleared rarely, and many of them together. A person's reason for refusing a call is never cleared.
 */
export function selectResultsToClear(state: PhaseState, mode: ReasoningMode = 'never'): Clearing | undefined {
  const { keepResults, clearTokens } = state.start.terms.context;
  const results = listResults(state);
  const count = Math.max(0, results.calls - keepResults);
  const saved = results.sumSaved(count);
  const reasoning = mode === 'never' ? undefined : sentReasoningBefore(results.listIdsAfter(count), state, mode);
  const minTokens = isCacheInvalidatedAnyway(state) ? clearTokens * CHEAP_SHARE : clearTokens;
  if (saved + (reasoning?.tokens ?? 0) < minTokens) return undefined;
  return buildClearing(results.list(count), reasoning);
}

/** The reasoning that the next prompt would contain, for answers that made none of the latest calls. */
function sentReasoningBefore(
  latest: readonly CallId[],
  state: PhaseState,
  mode: ReasoningMode,
): ReasoningClearing | undefined {
  const ids = new Set(latest);
  return sentReasoning(state, mode, (callIds) => !callIds.some((callId) => ids.has(callId)));
}

/** The reasoning that the next prompt would contain, for answers whose calls `isMeant` selects. */
function sentReasoning(
  state: PhaseState,
  mode: ReasoningMode,
  isMeant: (callIds: readonly CallId[]) => boolean,
): ReasoningClearing | undefined {
  const carries = findReasoningCarriers(state, mode);
  const answers = state.conversation.transcript.flatMap((entry) =>
    entry.kind === 'answer' && carries(entry) && isMeant(entry.answer.calls.map(({ callId }) => callId))
      ? [entry.answer]
      : [],
  );
  const upToStep = answers.at(-1)?.step;
  if (upToStep === undefined) return undefined;
  return { upToStep, tokens: answers.reduce((sum, { reasoning = '' }) => sum + countTokens(reasoning), 0) };
}

/**
 * Whether the next prompt differs from the last one already before the conversation: a call of the last answer changed the
 * todo list, which comes first. Then the cache is invalidated with or without clearing.
 */
function isCacheInvalidatedAnyway(state: PhaseState): boolean {
  if (state.start.terms.context.todoList === 'last') return false;
  return listLastAnswerCalls(state).some(
    (call) => call.status === 'completed' && call.traits.includes('changes_todos'),
  );
}

/**
 * Selects what to clear from the last answer when the prompt exceeds the model's limit by `excess` tokens and nothing older
 * can be shortened: reasoning first, then as many of the largest results as needed.
 */
export function selectResultsOverLimit(
  state: PhaseState,
  excess: number,
  mode: ReasoningMode = 'never',
): Clearing | undefined {
  if (excess <= 0) return undefined;
  const reasoning = sentReasoning(state, mode, () => true);
  const largest = listLastAnswerCalls(state)
    .flatMap(({ callId, status, result }) =>
      result === undefined || status === 'refused' ? [] : [{ callId, tokens: countTokens(result) }],
    )
    .filter(({ tokens }) => tokens > 2 * REMARK_TOKENS)
    .sort((left, right) => right.tokens - left.tokens);
  const selected: OldResult[] = [];
  let remaining = excess - (reasoning?.tokens ?? 0);
  for (const result of largest) {
    if (remaining <= 0) break;
    selected.push(result);
    remaining -= result.tokens - REMARK_TOKENS;
  }
  return buildClearing(selected, reasoning);
}

function buildClearing(results: readonly OldResult[], reasoning: ReasoningClearing | undefined): Clearing | undefined {
  if (results.length === 0 && !reasoning) return undefined;
  return {
    callIds: results.map(({ callId }) => callId),
    tokens: results.reduce((sum, { tokens }) => sum + tokens - REMARK_TOKENS, 0),
    ...(reasoning ? { reasoning } : {}),
  };
}
