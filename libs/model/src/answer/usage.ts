import type { TokenUsage } from '@phaseline/contracts';
import { asCount, asObject, type LooseObject } from '../wire/loose-json.js';

/** Token counts as the server sent them. A missing count is `undefined`. */
export interface WireUsage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens: number | undefined;
}

/** Reads the usage of a chunk or a complete answer from any of the places where servers put it. Returns `undefined` if there is none. */
export function readUsage(body: LooseObject, choice: LooseObject | undefined): WireUsage | undefined {
  const usage = asObject(body.usage) ?? asObject(choice?.usage) ?? asObject(asObject(body.x_groq)?.usage);
  if (!usage) return undefined;
  const inputTokens = asCount(usage.prompt_tokens);
  const outputTokens = asCount(usage.completion_tokens);
  // Every request has tokens, so zeros mean that the server did not count.
  if (!inputTokens && !outputTokens) return undefined;
  const details = asObject(usage.prompt_tokens_details);
  const cached =
    asCount(details?.cached_tokens) ?? asCount(usage.prompt_cache_hit_tokens) ?? asCount(usage.cached_tokens);
  const cachedInputTokens = cached ?? 0;
  const cacheWriteInputTokens = readCacheWrites(usage, details);
  return {
    inputTokens: addUncountedWrites(inputTokens || undefined, cachedInputTokens, cacheWriteInputTokens),
    outputTokens,
    cachedInputTokens,
    cacheWriteInputTokens,
  };
}

/** OpenAI and OpenRouter, DashScope and any-llm, LiteLLM: each has its own place and name. */
function readCacheWrites(usage: LooseObject, details: LooseObject | undefined): number | undefined {
  return (
    asCount(details?.cache_write_tokens) ??
    asCount(details?.cache_creation_input_tokens) ??
    asCount(details?.cache_creation_tokens) ??
    asCount(usage.cache_creation_input_tokens)
  );
}

/** Some proxies leave written tokens out of `prompt_tokens`: then they do not fit into it beside the cached ones, and are added. */
function addUncountedWrites(input: number | undefined, cached: number, written = 0): number | undefined {
  return input !== undefined && cached <= input && cached + written > input ? input + written : input;
}

/** Our own token counts of a call, made only if the server's are missing or impossible. */
export interface OwnCounts {
  readonly input: () => number;
  readonly output: () => number;
  /** The limit in tokens, if the answer exceeded it. */
  readonly exceededLimitTokens?: number | undefined;
}

/** Maximum numbers of tokens that a call can have used. A larger count from the server is wrong. */
export interface UsageBounds {
  readonly input: () => number;
  readonly output: () => number;
}

/**
 * Completes the usage of an answer. Counts that are missing or impossible are replaced by our own, and the usage is marked
 * as estimated. An answer that exceeded its limit uses the whole limit: the server may have kept generating until it
 * noticed that the connection was closed.
 */
export function completeUsage(sent: WireUsage | undefined, own: OwnCounts, bounds: UsageBounds): TokenUsage {
  const sentInput = discardImpossible(sent?.inputTokens, bounds.input);
  const sentOutput = discardImpossible(sent?.outputTokens, bounds.output);
  const countsOutput = sentOutput === undefined || sentOutput === 0;
  const inputTokens = sentInput ?? own.input();
  // An answer with text has tokens, so a count of zero is wrong.
  const outputTokens = own.exceededLimitTokens ?? (countsOutput ? own.output() : sentOutput);
  const cachedInputTokens = Math.min(sent?.cachedInputTokens ?? 0, inputTokens);
  const written = sent?.cacheWriteInputTokens;
  return {
    inputTokens,
    cachedInputTokens,
    ...(written === undefined ? {} : { cacheWriteInputTokens: Math.min(written, inputTokens - cachedInputTokens) }),
    outputTokens,
    estimated: own.exceededLimitTokens !== undefined || sentInput === undefined || sentOutput !== outputTokens,
  };
}

function discardImpossible(tokens: number | undefined, max: () => number): number | undefined {
  return tokens === undefined || tokens <= max() ? tokens : undefined;
}
