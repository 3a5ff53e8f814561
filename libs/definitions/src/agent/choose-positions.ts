import type { AgentDefinition } from '@phaseline/domain';

/** Prices of input tokens of a model. All are in the same unit; without the second and third, a token has the first price. */
export interface InputPrices {
  readonly inputUsdPerMillion: number;
  readonly cachedInputUsdPerMillion?: number | undefined;
  readonly cacheWriteInputUsdPerMillion?: number | undefined;
}

/**
 * Below this price of a token that is read from the prompt cache, relative to one that is not, the todo list costs less behind the conversation. With
 * the list in front, each completed todo makes the conversation new to the cache; behind, the list itself is new at every call and more of the
 * conversation stays. `npm run bench -- context` measured both; they cost the same at 0.23. It also shows that workspace.md costs less in the
 * system prompt at every price, because it changes seldom and is long.
 */
const MAX_CACHED_SHARE = 0.2;

/** With the list behind the conversation, clearing always costs cache, and this is the best value by the same measurement. */
const CLEAR_TOKENS_WITH_LIST_LAST = 8_000;

/**
 * Chooses the position of the todo list by the prices of the model of tactical phases, in which most calls are made, unless the definition says where it
 * is. `given`: the definition as it was written, without defaults.
 */
export function choosePositions(
  definition: AgentDefinition,
  given: unknown,
  prices: InputPrices | undefined,
): AgentDefinition {
  const context = (given as { context?: object } | null)?.context ?? {};
  if (Object.hasOwn(context, 'todoList') || !prices || !isCacheCheap(prices)) return definition;
  const clearTokens = Object.hasOwn(context, 'clearTokens') ? {} : { clearTokens: CLEAR_TOKENS_WITH_LIST_LAST };
  return { ...definition, context: { ...definition.context, todoList: 'last', ...clearTokens } };
}

function isCacheCheap({
  inputUsdPerMillion: input,
  cachedInputUsdPerMillion: cached = input,
  cacheWriteInputUsdPerMillion: written = input,
}: InputPrices): boolean {
  return input > 0 && cached <= MAX_CACHED_SHARE * Math.max(input, written);
}
