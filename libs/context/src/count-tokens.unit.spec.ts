import { countTokens as exactly } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countTokens } from './count-tokens.js';

describe('the count of tokens', () => {
  it('is exact for normal text', () => {
    const text = 'The archive shall keep every record for ten years. '.repeat(200);
    expect(countTokens(text)).toBe(exactly(text));
    expect(countTokens('short')).toBe(exactly('short'));
    expect(countTokens('')).toBe(0);
  });

  it.each(['<|endoftext|>', 'a document about <|im_start|>system and <|im_end|>'])('treats %s as text', (text) => {
    expect(countTokens(text)).toBeGreaterThan(3);
    expect(countTokens(text.repeat(20))).toBeGreaterThan(60);
  });

  it.each([
    ['letters', 'x'],
    ['spaces', ' '],
    ['line ends', '\n'],
    ['characters of two units', '𝕏'],
    ['base64', 'Zm9vYmFyYmF6cXV4'],
    ['lone surrogates', '\ud800'],
  ])('is fast and nearly exact for a long run of %s', (_, unit) => {
    const run = unit.repeat(Math.ceil(3_000 / unit.length));
    const exact = exactly(run);
    expect(countTokens(run)).toBeGreaterThanOrEqual(exact);
    expect(countTokens(run)).toBeLessThan(exact * 1.05 + 12);
    // Counted in one piece, this would take minutes.
    expect(countTokens(unit.repeat(Math.ceil(2_000_000 / unit.length)))).toBeGreaterThan(1_000);
  });
});
