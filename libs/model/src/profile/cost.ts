import type { TokenUsage } from '@phaseline/contracts';
import type { ModelPrices, ModelProfile } from './model-profile.js';

/** Prices are converted to whole pico-USD per token, so that 0.1 × 30 is exactly 3 and is not rounded up to 4. */
const PICO_PER_MICRO = 1_000_000;

type Priced = Pick<ModelProfile, 'prices'>;

/** Cost of a call in micro-USD, rounded up. USD per million tokens equals micro-USD per token. */
export function computeCostMicroUsd(profile: Priced, usage: TokenUsage): number {
  const { input, cached, cacheWrite, output } = toPicoPrices(profile.prices);
  const cachedTokens = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const writtenTokens = Math.min(usage.cacheWriteInputTokens ?? 0, usage.inputTokens - cachedTokens);
  const otherTokens = usage.inputTokens - cachedTokens - writtenTokens;
  return roundUpToMicro(
    otherTokens * input + cachedTokens * cached + writtenTokens * cacheWrite + usage.outputTokens * output,
  );
}

/** Maximum cost of a call in micro-USD, rounded up: all input at its dearest price, and an answer of the maximum length. */
export function computeWorstCaseMicroUsd(profile: Priced, inputTokens: number, maxOutputTokens: number): number {
  const { input, cached, cacheWrite, output } = toPicoPrices(profile.prices);
  return roundUpToMicro(inputTokens * Math.max(input, cached, cacheWrite) + maxOutputTokens * output);
}

function toPicoPrices(prices: ModelPrices): Record<'input' | 'cached' | 'cacheWrite' | 'output', number> {
  const pico = (usd: number): number => Math.round(usd * PICO_PER_MICRO);
  return {
    input: pico(prices.inputUsdPerMillion),
    cached: pico(prices.cachedInputUsdPerMillion ?? prices.inputUsdPerMillion),
    cacheWrite: pico(prices.cacheWriteInputUsdPerMillion ?? prices.inputUsdPerMillion),
    output: pico(prices.outputUsdPerMillion),
  };
}

/** Rounds up to whole micro-USD, capped at the largest safe integer, because events store only safe integers. */
function roundUpToMicro(pico: number): number {
  const rest = pico % PICO_PER_MICRO;
  return Math.min(Math.ceil((pico - rest) / PICO_PER_MICRO) + (rest > 0 ? 1 : 0), Number.MAX_SAFE_INTEGER);
}
