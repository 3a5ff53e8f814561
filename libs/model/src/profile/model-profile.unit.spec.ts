import { describe, expect, it } from 'vitest';
import { modelProfileSchema } from './model-profile.js';

describe('model profile', () => {
  it('needs only a name and a model', () => {
    expect(modelProfileSchema.parse({ name: 'default', model: 'qwen3' })).toMatchObject({
      maxOutputTokens: 8_192,
      streaming: true,
      streamUsage: true,
      textCallRescue: false,
      reasoning: { field: 'reasoning_content', sendBack: 'never' },
      prices: { inputUsdPerMillion: 0, outputUsdPerMillion: 0 },
      retries: { attempts: 5 },
    });
  });

  it.each([
    [{ contextToken: 8_192 }, 'contextToken'],
    [{ prices: { inputUsdPerMillion: -1 } }, 'prices'],
    [{ timeouts: { callMs: 2_147_483_648 } }, 'timeouts'],
    [{ retries: { attempts: 0 } }, 'retries'],
    [{ reasoning: { sendBack: true } }, 'reasoning'],
    [{ name: '../default' }, 'name'],
  ])('rejects %j', (wrong, where) => {
    const result = modelProfileSchema.safeParse({ name: 'default', model: 'qwen3', ...wrong });
    expect(JSON.stringify(result.error?.issues)).toContain(where);
  });
});
