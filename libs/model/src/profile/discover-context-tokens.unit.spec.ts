import { describe, expect, it } from 'vitest';
import { discoverContextTokens } from './discover-context-tokens.js';

const ask = (models: unknown, status = 200) =>
  discoverContextTokens({
    baseUrl: 'http://127.0.0.1:9/v1',
    model: 'mine',
    fetch: async () =>
      new Response(JSON.stringify(models), { status, headers: { 'content-type': 'application/json' } }),
  });

describe('the context of a model', () => {
  it.each([
    ['llama.cpp', { meta: { n_ctx_train: 131_072, n_ctx: 8_192 } }, 8_192],
    ['vLLM', { max_model_len: 32_768 }, 32_768],
    ['OpenRouter', { context_length: 200_000 }, 200_000],
    ['what a model was trained on is not what the server can take', { meta: { n_ctx_train: 131_072 } }, undefined],
    [
      'a figure that cannot be, and then by one that can',
      { meta: { n_ctx: 2 ** 53 - 1 }, max_model_len: 8_192 },
      8_192,
    ],
    ['a figure that is too small to be one', { meta: { n_ctx: 1 } }, undefined],
    ['nonsense', { meta: { n_ctx: '8192' }, max_model_len: -1 }, undefined],
  ])('is told by %s', async (_, told, expected) => {
    expect(
      await ask({
        data: [
          { id: 'other', meta: { n_ctx: 1 } },
          { id: 'mine', ...told },
        ],
      }),
    ).toBe(expected);
  });

  it('is that of the only model, whatever its name, and unknown among several others', async () => {
    expect(await ask({ data: [{ id: 'model.gguf', meta: { n_ctx: 4_096 } }] })).toBe(4_096);
    expect(
      await ask({
        data: [
          { id: 'a', max_model_len: 1 },
          { id: 'b', max_model_len: 2 },
        ],
      }),
    ).toBeUndefined();
  });

  it('is unknown where the server has no list, and an error where it cannot be asked', async () => {
    expect(await ask({ error: { message: 'not found' } }, 404)).toBeUndefined();
    expect(await ask('no object')).toBeUndefined();
    await expect(ask({ error: { message: 'no' } }, 401)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
