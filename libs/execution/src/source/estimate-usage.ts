import type { TokenUsage } from '@phaseline/contracts';

/** A prompt that was never sent, counted as in the ledger. */
interface UnsentPrompt {
  readonly promptTokens: number;
  /** Tokens at its beginning that a prompt cache can reuse. */
  readonly sharedTokens: number;
}

/**
 * Estimates what a recorded call would have used with another prompt and the same answer. `countedTokens` is our count of the recorded prompt: it
 * differs from that of the server, and their ratio converts one into the other.
 */
export function estimateUsage(
  recorded: TokenUsage,
  countedTokens: number,
  { promptTokens, sharedTokens }: UnsentPrompt,
): TokenUsage {
  const toServerTokens = (tokens: number): number => Math.round((tokens * recorded.inputTokens) / countedTokens);
  const inputTokens = toServerTokens(promptTokens);
  const cachedInputTokens = Math.min(inputTokens, toServerTokens(sharedTokens));
  return {
    inputTokens,
    cachedInputTokens,
    ...estimateCacheWrites(recorded, inputTokens - cachedInputTokens),
    outputTokens: recorded.outputTokens,
    estimated: true,
  };
}

/** A server that reports what it writes into its cache writes the same share of what it did not find there. */
function estimateCacheWrites(recorded: TokenUsage, uncachedTokens: number): Pick<TokenUsage, 'cacheWriteInputTokens'> {
  const { inputTokens, cachedInputTokens, cacheWriteInputTokens } = recorded;
  if (cacheWriteInputTokens === undefined) return {};
  const recordedTokens = Math.max(1, inputTokens - cachedInputTokens);
  return { cacheWriteInputTokens: Math.round((uncachedTokens * cacheWriteInputTokens) / recordedTokens) };
}
