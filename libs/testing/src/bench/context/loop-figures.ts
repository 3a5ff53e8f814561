import type { ChatRequest } from '@phaseline/domain';
import { costMicroUsd } from '@phaseline/model';
import { cachedTokens } from './prompt-cache.js';

/** List prices of the default profile (models/default.yaml), in USD per million tokens: what is cached costs a tenth. */
const INPUT_PER_MILLION = 0.25;
export const CACHED_SHARES = [0.1, 0.25, 0.5] as const;

/** What one way to keep the context took for a piece of work. */
export interface LoopFigures {
  readonly calls: number;
  readonly inputTokens: number;
  /** Of `inputTokens`, read from the server's cache. */
  readonly cachedTokens: number;
  /** The longest prompt. */
  readonly peakTokens: number;
  /** Of the input, in USD: where a cached token costs so much of one that is not, in the order of `CACHED_SHARES`. */
  readonly inputUsd: readonly number[];
}

export function figuresOf(requests: readonly ChatRequest[]): LoopFigures {
  const calls = cachedTokens(requests);
  const inputTokens = calls.reduce((sum, { input }) => sum + input, 0);
  const cached = calls.reduce((sum, call) => sum + call.cached, 0);
  return {
    calls: calls.length,
    inputTokens,
    cachedTokens: cached,
    peakTokens: calls.reduce((most, { input }) => Math.max(most, input), 0),
    inputUsd: CACHED_SHARES.map((share) => {
      const prices = {
        inputPerMillion: INPUT_PER_MILLION,
        cachedInputPerMillion: INPUT_PER_MILLION * share,
        outputPerMillion: 0,
      };
      const usage = { inputTokens, cachedInputTokens: cached, outputTokens: 0, estimated: true };
      return costMicroUsd({ prices }, usage) / 1_000_000;
    }),
  };
}

/** Of several runs together. */
export function sumOf(runs: readonly LoopFigures[]): LoopFigures {
  return runs.reduce((sum, run) => ({
    calls: sum.calls + run.calls,
    inputTokens: sum.inputTokens + run.inputTokens,
    cachedTokens: sum.cachedTokens + run.cachedTokens,
    peakTokens: Math.max(sum.peakTokens, run.peakTokens),
    inputUsd: sum.inputUsd.map((usd, index) => usd + run.inputUsd[index]!),
  }));
}

/** How much less `now` is than `before`, from 0 to 1. */
export function saved(before: number, now: number): number {
  return before === 0 ? 0 : 1 - now / before;
}
