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

/** Own counts of a call, made only where the server's are missing or impossible. */
export interface OwnCounts {
  readonly input: () => number;
  readonly output: () => number;
  /** Tokens of an answer that passed its bound, as far as it was read. */
  readonly passed?: number | undefined;
}

/** The most tokens that a call can have taken. A larger figure of the server is a mistake, or a lie. */
export interface UsageBounds {
  readonly input: () => number;
  readonly output: () => number;
}

/**
 * Usage of an answer. Figures that the server left out, and figures that are impossible, are replaced by our own counts, and
 * the usage is marked as an estimate. An answer that passed its bound takes all of it: the server may have worked on until it
 * noticed that nobody read on.
 */
export function completeUsage(sent: WireUsage | undefined, own: OwnCounts, most: UsageBounds): TokenUsage {
  const sentInput = possible(sent?.inputTokens, most.input);
  const sentOutput = possible(sent?.outputTokens, most.output);
  const countsOutput = sentOutput === undefined || sentOutput === 0;
  const inputTokens = sentInput ?? own.input();
  // An answer with text in it took tokens.
  const outputTokens = own.passed ?? (countsOutput ? own.output() : sentOutput);
  return {
    inputTokens,
    cachedInputTokens: Math.min(sent?.cachedInputTokens ?? 0, inputTokens),
    outputTokens,
    estimated: own.passed !== undefined || sentInput === undefined || sentOutput !== outputTokens,
  };
}

function possible(tokens: number | undefined, most: () => number): number | undefined {
  return tokens === undefined || tokens <= most() ? tokens : undefined;
}
