import { lastCalls, type PhaseState } from '@phaseline/domain';
import { countTokens } from './count-tokens.js';

/** What stands in place of a cleared result takes about this many tokens. */
const REMARK_TOKENS = 15;

/** When clearing costs the cache nothing, so much of `clearTokens` is enough. */
const CHEAP_SHARE = 1 / 8;
const LIST_CHANGING = new Set(['todo_complete', 'complete_todo', 'start_todo', 'add_todo']);

export interface Clearing {
  readonly callIds: readonly string[];
  /** What clearing saves in every call from then on. */
  readonly tokens: number;
}

interface OldResult {
  readonly callId: string;
  readonly tokens: number;
}

/**
 * The old results of tools that are to be cleared now: all but those of the latest calls, once they are worth it together.
 * Clearing loses nothing that cannot be had again, but it changes the prompt from the first cleared result on, which the
 * server's prompt cache then has to read anew. So it is done seldom, and much at once. What a person gave as the reason
 * for refusing a call is no result of a tool, and stays.
 */
export function resultsToClear(state: PhaseState): Clearing | undefined {
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
  const clearing = clearingOf(old);
  const least = breaksAnyway(state) ? clearTokens * CHEAP_SHARE : clearTokens;
  return clearing && clearing.tokens >= least ? clearing : undefined;
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
 * The results of the last answer that have to go because the prompt is `excess` tokens longer than what the model can take
 * and nothing older is left to be shortened: the largest first, and no more than it needs.
 */
export function resultsOverLimit(state: PhaseState, excess: number): Clearing | undefined {
  const largest = lastCalls(state)
    .flatMap(({ callId, result, judgement }) =>
      result === undefined || judgement?.refused !== undefined ? [] : [{ callId, tokens: countTokens(result) }],
    )
    .filter(({ tokens }) => tokens > 2 * REMARK_TOKENS)
    .sort((left, right) => right.tokens - left.tokens);
  const taken: OldResult[] = [];
  let left = excess;
  for (const result of largest) {
    if (left <= 0) break;
    taken.push(result);
    left -= result.tokens - REMARK_TOKENS;
  }
  return clearingOf(taken);
}

function clearingOf(results: readonly OldResult[]): Clearing | undefined {
  if (results.length === 0) return undefined;
  return {
    callIds: results.map(({ callId }) => callId),
    tokens: results.reduce((sum, { tokens }) => sum + tokens - REMARK_TOKENS, 0),
  };
}
