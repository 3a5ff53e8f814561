import { describe, expect, it } from 'vitest';
import { estimateUsage } from './estimate-usage.js';

const recorded = { inputTokens: 1_100, cachedInputTokens: 700, outputTokens: 30, estimated: false };

describe('the usage of a prompt that was never sent', () => {
  it('is converted into the tokens of the server, and the answer stays as long as it was', () => {
    expect(estimateUsage(recorded, 1_000, { promptTokens: 500, sharedTokens: 200 })).toEqual({
      inputTokens: 550,
      cachedInputTokens: 220,
      outputTokens: 30,
      estimated: true,
    });
  });

  it('writes the recorded share of what is not cached into the cache of a server that says so', () => {
    const writing = { ...recorded, cacheWriteInputTokens: 200 };
    expect(estimateUsage(writing, 1_000, { promptTokens: 500, sharedTokens: 200 })).toMatchObject({
      inputTokens: 550,
      cachedInputTokens: 220,
      cacheWriteInputTokens: 165,
    });
  });
});
