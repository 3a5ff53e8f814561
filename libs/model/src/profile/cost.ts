import type { TokenUsage } from '@phaseline/domain';
import type { ModelPrices, ModelProfile } from './model-profile.js';

/** Prices are taken as whole pico-USD a token, so that 0.1 × 30 is 3 and not a hair more, rounded up to 4. */
const PICO_PER_MICRO = 1_000_000;

type Priced = Pick<ModelProfile, 'prices'>;

/** What a call cost, in micro-USD, rounded up. USD per million tokens is micro-USD a token. */
export function costMicroUsd(profile: Priced, usage: TokenUsage): number {
  const { input, cached, output } = picoPrices(profile.prices);
  const cachedTokens = Math.min(usage.cachedInputTokens, usage.inputTokens);
  return roundUp((usage.inputTokens - cachedTokens) * input + cachedTokens * cached + usage.outputTokens * output);
}

/** The most that one answer can cost, in micro-USD, rounded up: nothing cached, and the answer as long as it may be. */
export function worstCaseMicroUsd(profile: Priced, inputTokens: number, maxOutputTokens: number): number {
  const { input, cached, output } = picoPrices(profile.prices);
  return roundUp(inputTokens * Math.max(input, cached) + maxOutputTokens * output);
}

function picoPrices(prices: ModelPrices): { input: number; cached: number; output: number } {
  const pico = (usd: number): number => Math.round(usd * PICO_PER_MICRO);
  return {
    input: pico(prices.inputPerMillion),
    cached: pico(prices.cachedInputPerMillion ?? prices.inputPerMillion),
    output: pico(prices.outputPerMillion),
  };
}

/** Whole micro-USD, and never more than a number holds exactly: events hold nothing else. */
function roundUp(pico: number): number {
  const rest = pico % PICO_PER_MICRO;
  return Math.min(Math.ceil((pico - rest) / PICO_PER_MICRO) + (rest > 0 ? 1 : 0), Number.MAX_SAFE_INTEGER);
}
