import type { ChatRequest } from '@phaseline/contracts';
import { computeCostMicroUsd } from '@phaseline/model';
import { countCachedTokens } from './prompt-cache.js';

/** Price of input tokens in models/default.yaml, in USD per million; cached tokens cost a tenth. */
const INPUT_PER_MILLION = 0.25;
/** Prices of cached tokens, relative to other input tokens. */
export const CACHED_SHARES = [0.1, 0.25, 0.5] as const;

/** Figures of one context strategy for a piece of work. */
export interface LoopFigures {
  readonly calls: number;
  readonly inputTokens: number;
  /** Part of `inputTokens` that is read from the server's cache. */
  readonly cachedTokens: number;
  /** Tokens of the longest prompt. */
  readonly peakTokens: number;
  /** Input cost in USD for each relative price in `CACHED_SHARES`. */
  readonly inputUsd: readonly number[];
}

export function computeFigures(requests: readonly ChatRequest[]): LoopFigures {
  const calls = countCachedTokens(requests);
  const inputTokens = calls.reduce((sum, { input }) => sum + input, 0);
  const cached = calls.reduce((sum, call) => sum + call.cached, 0);
  return {
    calls: calls.length,
    inputTokens,
    cachedTokens: cached,
    peakTokens: calls.reduce((maximum, { input }) => Math.max(maximum, input), 0),
    inputUsd: CACHED_SHARES.map((share) => {
      const prices = {
        inputUsdPerMillion: INPUT_PER_MILLION,
        cachedInputUsdPerMillion: INPUT_PER_MILLION * share,
        outputUsdPerMillion: 0,
      };
      const usage = { inputTokens, cachedInputTokens: cached, outputTokens: 0, estimated: true };
      return computeCostMicroUsd({ prices }, usage) / 1_000_000;
    }),
  };
}

/** Adds the figures of several runs. */
export function sumFigures(runs: readonly LoopFigures[]): LoopFigures {
  return runs.reduce((sum, run) => ({
    calls: sum.calls + run.calls,
    inputTokens: sum.inputTokens + run.inputTokens,
    cachedTokens: sum.cachedTokens + run.cachedTokens,
    peakTokens: Math.max(sum.peakTokens, run.peakTokens),
    inputUsd: sum.inputUsd.map((usd, index) => usd + run.inputUsd[index]!),
  }));
}

/** Share by which `now` is smaller than `before`, from 0 to 1. */
export function savedShare(before: number, now: number): number {
  return before === 0 ? 0 : 1 - now / before;
}
