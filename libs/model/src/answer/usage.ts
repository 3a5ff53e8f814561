import type { TokenUsage } from '@phaseline/domain';
import { asCount, asObject, type LooseObject } from '../wire/loose-json.js';

/** Token counts as the server sent them; what it left out is `undefined`. */
export interface WireUsage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedInputTokens: number;
}

/** Usage of a chunk or a whole answer, wherever the server puts it; `undefined` when there is none. */
export function readUsage(body: LooseObject, choice: LooseObject | undefined): WireUsage | undefined {
  const usage = asObject(body.usage) ?? asObject(choice?.usage) ?? asObject(asObject(body.x_groq)?.usage);
  if (!usage) return undefined;
  const inputTokens = asCount(usage.prompt_tokens);
  const outputTokens = asCount(usage.completion_tokens);
  // A request has tokens: zeros are a server's way of saying that it did not count.
  if (!inputTokens && !outputTokens) return undefined;
  const details = asObject(usage.prompt_tokens_details);
  const cached =
    asCount(details?.cached_tokens) ?? asCount(usage.prompt_cache_hit_tokens) ?? asCount(usage.cached_tokens);
  return { inputTokens: inputTokens || undefined, outputTokens, cachedInputTokens: cached ?? 0 };
}

/** Usage of an answer, with what the server left out counted here and marked as an estimate. */
export function completeUsage(
  sent: WireUsage | undefined,
  count: { input: () => number; output: () => number },
): TokenUsage {
  const inputTokens = sent?.inputTokens ?? count.input();
  const outputTokens = sent?.outputTokens ?? count.output();
  return {
    inputTokens,
    cachedInputTokens: Math.min(sent?.cachedInputTokens ?? 0, inputTokens),
    outputTokens,
    estimated: sent?.inputTokens === undefined || sent.outputTokens === undefined,
  };
}
