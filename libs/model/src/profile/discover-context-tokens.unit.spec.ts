import { describe, expect, it } from 'vitest';
import { discoverContextTokens } from './discover-context-tokens.js';

const discover = (models: unknown, status = 200) =>
  discoverContextTokens({
    baseUrl: 'http://127.0.0.1:9/v1',
    model: 'mine',
    fetch: async () =>
      new Response(JSON.stringify(models), { status, headers: { 'content-type': 'application/json' } }),
  });

describe('context size of a model', () => {
  it.each([
    ['llama.cpp', { meta: { n_ctx_train: 131_072, n_ctx: 8_192 } }, 8_192],
    ['vLLM', { max_model_len: 32_768 }, 32_768],
    ['OpenRouter', { context_length: 200_000 }, 200_000],
    ['the training context is ignored', { meta: { n_ctx_train: 131_072 } }, undefined],
    [
      'an impossible value is skipped for a possible one',
      { meta: { n_ctx: 2 ** 53 - 1 }, max_model_len: 8_192 },
      8_192,
    ],
    ['a value that is too small is ignored', { meta: { n_ctx: 1 } }, undefined],
    ['invalid values are ignored', { meta: { n_ctx: '8192' }, max_model_len: -1 }, undefined],
  ])('is read as expected: %s', async (_, entry, expected) => {
    expect(
      await discover({
        data: [
          { id: 'other', meta: { n_ctx: 1 } },
          { id: 'mine', ...entry },
        ],
      }),
    ).toBe(expected);
  });

  it('is that of the only listed model, regardless of its name, and unknown if several others are listed', async () => {
    expect(await discover({ data: [{ id: 'model.gguf', meta: { n_ctx: 4_096 } }] })).toBe(4_096);
    expect(
      await discover({
        data: [
          { id: 'a', max_model_len: 1 },
          { id: 'b', max_model_len: 2 },
        ],
      }),
    ).toBeUndefined();
  });

  it('is unknown if the server has no list, and an error if the request fails', async () => {
    expect(await discover({ error: { message: 'not found' } }, 404)).toBeUndefined();
    expect(await discover('no object')).toBeUndefined();
    await expect(discover({ error: { message: 'no' } }, 401)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
