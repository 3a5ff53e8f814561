import { describe, expect, it } from 'vitest';
import { completeUsage, readUsage } from './usage.js';

const own = { input: () => 40, output: () => 7 };
const bounds = { input: () => 5_000, output: () => 1_000 };
const usageOf = (usage: object) => completeUsage(readUsage({ usage }, undefined), own, bounds);

describe('token usage', () => {
  it('is what the server counted, if that is possible', () => {
    expect(
      usageOf({ prompt_tokens: 5_000, completion_tokens: 1_000, prompt_tokens_details: { cached_tokens: 90 } }),
    ).toEqual({ inputTokens: 5_000, cachedInputTokens: 90, outputTokens: 1_000, estimated: false });
  });

  it.each([
    ['2^53 - 1', 9_007_199_254_740_991],
    ['one more than possible', 1_001],
    ['a negative number', -1],
    ['a fraction', 3.5],
    ['an infinite number', JSON.parse('1e999') as number],
    ['a string', '12'],
    ['zero, for an answer with text', 0],
  ])('is our own count of the answer, marked as estimated, when the server sends %s', (_what, completion_tokens) => {
    expect(usageOf({ prompt_tokens: 50, completion_tokens })).toEqual({
      inputTokens: 50,
      cachedInputTokens: 0,
      outputTokens: 7,
      estimated: true,
    });
  });

  it.each([
    ['2^53 - 1', 9_007_199_254_740_991],
    ['one more than possible', 5_001],
    ['a negative number', -1],
    ['a fraction', 3.5],
  ])('is our own count of the request, marked as estimated, when the server sends %s', (_what, prompt_tokens) => {
    const usage = { prompt_tokens, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4_000 } };
    expect(usageOf(usage)).toEqual({ inputTokens: 40, cachedInputTokens: 40, outputTokens: 3, estimated: true });
  });

  it.each([
    ['OpenAI', { prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 400 } }],
    ['DashScope', { prompt_tokens_details: { cached_tokens: 90, cache_creation_input_tokens: 400 } }],
    ['LiteLLM', { prompt_tokens_details: { cached_tokens: 90 }, cache_creation_input_tokens: 400 }],
  ])('contains the tokens that were written into the cache, where %s reports them', (_server, members) => {
    expect(usageOf({ prompt_tokens: 500, completion_tokens: 3, ...members })).toEqual({
      inputTokens: 500,
      cachedInputTokens: 90,
      cacheWriteInputTokens: 400,
      outputTokens: 3,
      estimated: false,
    });
  });

  it('counts written tokens that a proxy left out of the prompt', () => {
    const usage = { prompt_tokens: 31, completion_tokens: 3, cache_creation_input_tokens: 1_253 };
    expect(usageOf(usage)).toMatchObject({ inputTokens: 1_284, cacheWriteInputTokens: 1_253 });
  });

  it('has no more written tokens than tokens that were not cached', () => {
    const usage = {
      prompt_tokens: 9_000,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 8_000 },
    };
    expect(usageOf(usage)).toMatchObject({ inputTokens: 40, cachedInputTokens: 30, cacheWriteInputTokens: 10 });
  });

  it('accepts zero output tokens for an answer without text', () => {
    const usage = completeUsage(
      readUsage({ usage: { prompt_tokens: 5, completion_tokens: 0 } }, undefined),
      { ...own, output: () => 0 },
      bounds,
    );
    expect(usage).toEqual({ inputTokens: 5, cachedInputTokens: 0, outputTokens: 0, estimated: false });
  });
});
