import { describe, expect, it } from 'vitest';
import { completeUsage, readUsage } from './usage.js';

const own = { input: () => 40, output: () => 7 };
const most = { input: () => 5_000, output: () => 1_000 };
const usageOf = (usage: object) => completeUsage(readUsage({ usage }, undefined), own, most);

describe('usage of an answer', () => {
  it('is what the server counted, where that was possible', () => {
    expect(
      usageOf({ prompt_tokens: 5_000, completion_tokens: 1_000, prompt_tokens_details: { cached_tokens: 90 } }),
    ).toEqual({ inputTokens: 5_000, cachedInputTokens: 90, outputTokens: 1_000, estimated: false });
  });

  it.each([
    ['2^53 - 1', 9_007_199_254_740_991],
    ['one more than was possible', 1_001],
    ['less than nothing', -1],
    ['a fraction', 3.5],
    ['an infinite number', JSON.parse('1e999') as number],
    ['a text', '12'],
    ['nothing, behind an answer with text', 0],
  ])('is our own count of the answer, marked as an estimate, for %s', (_what, completion_tokens) => {
    expect(usageOf({ prompt_tokens: 50, completion_tokens })).toEqual({
      inputTokens: 50,
      cachedInputTokens: 0,
      outputTokens: 7,
      estimated: true,
    });
  });

  it.each([
    ['2^53 - 1', 9_007_199_254_740_991],
    ['one more than was possible', 5_001],
    ['less than nothing', -1],
    ['a fraction', 3.5],
  ])('is our own count of the request, marked as an estimate, for %s', (_what, prompt_tokens) => {
    const usage = { prompt_tokens, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4_000 } };
    expect(usageOf(usage)).toEqual({ inputTokens: 40, cachedInputTokens: 40, outputTokens: 3, estimated: true });
  });

  it('takes an answer without any text for no tokens, as the server does', () => {
    const usage = completeUsage(
      readUsage({ usage: { prompt_tokens: 5, completion_tokens: 0 } }, undefined),
      { ...own, output: () => 0 },
      most,
    );
    expect(usage).toEqual({ inputTokens: 5, cachedInputTokens: 0, outputTokens: 0, estimated: false });
  });
});
