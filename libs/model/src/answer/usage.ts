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

/**
 * Usage of an answer, with what the server left out counted here and marked as an estimate. An answer that passed its bound
 * (`passed`, in tokens) takes all of it: the server may have worked on until it noticed that nobody read on.
 */
export function completeUsage(
  sent: WireUsage | undefined,
  count: { input: () => number; output: () => number; passed?: number | undefined },
): TokenUsage {
  const { passed } = count;
  const inputTokens = sent?.inputTokens ?? count.input();
  const outputTokens = passed ?? sent?.outputTokens ?? count.output();
  return {
    inputTokens,
    cachedInputTokens: Math.min(sent?.cachedInputTokens ?? 0, inputTokens),
    outputTokens,
    estimated: passed !== undefined || sent?.inputTokens === undefined || sent.outputTokens === undefined,
  };
}
