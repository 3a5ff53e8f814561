import { lastCalls, type PhaseState, type ReasoningHabit } from '@phaseline/domain';
import { reasoningCarriers } from './build-prompt.js';
import { countTokens } from './count-tokens.js';

/** What stands in place of a cleared result takes about this many tokens. */
const REMARK_TOKENS = 15;

/** When clearing costs the cache nothing, so much of `clearTokens` is enough. */
const CHEAP_SHARE = 1 / 8;
const LIST_CHANGING = new Set(['todo_complete', 'complete_todo', 'start_todo', 'add_todo']);

export interface Clearing {
  readonly callIds: readonly string[];
  /** What clearing these results saves in every call from then on. */
  readonly tokens: number;
  /** Reasoning that goes with them, where the model is sent any. */
  readonly reasoning?: ReasoningClearing;
}

export interface ReasoningClearing {
  /** The last step whose answer loses its reasoning. */
  readonly upToStep: number;
  readonly tokens: number;
}

interface OldResult {
  readonly callId: string;
  readonly tokens: number;
}

/**
 * The old results of tools that are to be cleared now: all but those of the latest calls, once they are worth it together. The
 * reasoning of the answers that made those calls, where it is sent back, counts and goes with them.
 * Clearing loses nothing that cannot be had again, but it changes the prompt from the first cleared result on, which the
 * server's prompt cache then has to read anew. So it is done seldom, and much at once. What a person gave as the reason
 * for refusing a call is no result of a tool, and stays.
 */
export function resultsToClear(state: PhaseState, habit: ReasoningHabit = 'never'): Clearing | undefined {
  const { keepResults, clearTokens } = state.start.context;
  const results = state.transcript.flatMap((entry) => {
    if (entry.kind !== 'answer') return [];
    const { answer, cleared = [], judgements } = entry;
    return answer.calls.map(({ callId }) => ({
      callId,
      text: entry.results?.[callId],
      stays: cleared.includes(callId) || judgements?.[callId]?.refused !== undefined,
    }));
  });
  const old = results
    .slice(0, -keepResults)
    .flatMap(({ callId, text, stays }) => (text === undefined || stays ? [] : [{ callId, tokens: countTokens(text) }]))
    .filter(({ tokens }) => tokens > REMARK_TOKENS);
  const recent = new Set(results.slice(-keepResults).map(({ callId }) => callId));
  const clearing = clearingOf(
    old,
    sentReasoning(state, habit, (callIds) => !callIds.some((callId) => recent.has(callId))),
  );
  const least = breaksAnyway(state) ? clearTokens * CHEAP_SHARE : clearTokens;
  return clearing && clearing.tokens + (clearing.reasoning?.tokens ?? 0) >= least ? clearing : undefined;
}

/** The reasoning that the next prompt would carry, of the answers whose calls are meant. */
function sentReasoning(
  state: PhaseState,
  habit: ReasoningHabit,
  isMeant: (callIds: readonly string[]) => boolean,
): ReasoningClearing | undefined {
  const carries = reasoningCarriers(state, habit);
  const answers = state.transcript.flatMap((entry) =>
    entry.kind === 'answer' && carries(entry) && isMeant(entry.answer.calls.map(({ callId }) => callId))
      ? [entry.answer]
      : [],
  );
  const upToStep = answers.at(-1)?.step;
  if (upToStep === undefined) return undefined;
  return { upToStep, tokens: answers.reduce((sum, { reasoning = '' }) => sum + countTokens(reasoning), 0) };
}

/**
 * Whether the next prompt differs from the last one before the conversation begins: the todo list stands there, and a call
 * of the last answer changed it. Then the cache is lost with or without clearing.
 */
function breaksAnyway(state: PhaseState): boolean {
  if (state.start.context.todoList === 'last') return false;
  return lastCalls(state).some(({ name, status }) => status === 'completed' && LIST_CHANGING.has(name));
}

/**
 * What of the last answer has to go because the prompt is `excess` tokens longer than what the model can take and nothing older
 * is left to be shortened: reasoning, then the largest results, and no more of them than it needs.
 */
export function resultsOverLimit(
  state: PhaseState,
  excess: number,
  habit: ReasoningHabit = 'never',
): Clearing | undefined {
  if (excess <= 0) return undefined;
  const reasoning = sentReasoning(state, habit, () => true);
  const largest = lastCalls(state)
    .flatMap(({ callId, result, judgement }) =>
      result === undefined || judgement?.refused !== undefined ? [] : [{ callId, tokens: countTokens(result) }],
    )
    .filter(({ tokens }) => tokens > 2 * REMARK_TOKENS)
    .sort((left, right) => right.tokens - left.tokens);
  const taken: OldResult[] = [];
  let left = excess - (reasoning?.tokens ?? 0);
  for (const result of largest) {
    if (left <= 0) break;
    taken.push(result);
    left -= result.tokens - REMARK_TOKENS;
  }
  return clearingOf(taken, reasoning);
}

function clearingOf(results: readonly OldResult[], reasoning: ReasoningClearing | undefined): Clearing | undefined {
  if (results.length === 0 && !reasoning) return undefined;
  return {
    callIds: results.map(({ callId }) => callId),
    tokens: results.reduce((sum, { tokens }) => sum + tokens - REMARK_TOKENS, 0),
    ...(reasoning ? { reasoning } : {}),
  };
}
