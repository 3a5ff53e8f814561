import { countInPieces, type Encode } from './count-tokens.js';

/** Tokens that other tokenisers count for the same texts, per token that ours counts. */
export interface TokeniserBand {
  readonly low: number;
  readonly high: number;
}

/** Ways to encode texts that models of the last years use, other than ours. They are loaded when they are needed: each holds a large table. */
const others = {
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  p50k_base: () => import('gpt-tokenizer/encoding/p50k_base'),
  r50k_base: () => import('gpt-tokenizer/encoding/r50k_base'),
} as const;

/** Compares tokenisers on texts. Without tokens, nothing is known: both ends of the band are 1. */
export async function compareTokenisers(texts: readonly string[]): Promise<TokeniserBand> {
  const ours = sum(texts);
  if (ours === 0) return { low: 1, high: 1 };
  const ratios = [1];
  for (const load of Object.values(others)) ratios.push(sum(texts, (await load()).countTokens) / ours);
  return { low: Math.min(...ratios), high: Math.max(...ratios) };
}

function sum(texts: readonly string[], encode?: Encode): number {
  return texts.reduce((total, text) => total + countInPieces(text, encode), 0);
}
