import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrorInAnswer, foldChunks, foldWholeAnswer } from './fold-chunks.js';
import { toChatAnswer } from './to-chat-answer.js';

const context = {
  request: { messages: [], tools: [{ name: 'read_file', description: '', parameters: {} }] },
  profile: { textCallRescue: true },
  countTokens: (text: string) => text.length,
  countInputTokens: () => 1,
  boundInputTokens: () => 5_000,
  reservedOutputTokens: 1_000,
};

/** Chunks whose members usually have the expected type and sometimes hold arbitrary JSON. */
const anything = fc.jsonValue({ maxDepth: 2 });
const usually = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: anything });
const text = fc.constantFrom(
  '',
  '{',
  '}',
  '{"a":',
  '1}',
  '{"a":1}',
  'read_file',
  'read_',
  'x',
  '<tool_call>',
  '\ud83d',
);
const piece = usually(
  fc.record(
    {
      index: usually(fc.constantFrom(0, 1, '0', null)),
      id: usually(fc.constantFrom('', 'a', 'b', null)),
      function: usually(fc.record({ name: usually(text), arguments: usually(text) }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  ),
);
const delta = usually(
  fc.record(
    {
      content: usually(text),
      reasoning: usually(text),
      refusal: usually(text),
      tool_calls: usually(fc.array(piece, { maxLength: 3 })),
    },
    { requiredKeys: [] },
  ),
);
const choice = usually(
  fc.record(
    { index: usually(fc.constant(0)), delta, message: delta, finish_reason: usually(text) },
    { requiredKeys: [] },
  ),
);
const chunk = usually(
  fc.record(
    {
      choices: usually(fc.array(choice, { maxLength: 2 })),
      usage: usually(
        fc.record({
          prompt_tokens: usually(fc.oneof(fc.nat(), fc.maxSafeNat())),
          completion_tokens: usually(fc.oneof(fc.integer(), fc.maxSafeInteger())),
          prompt_tokens_details: fc.record({ cached_tokens: usually(fc.maxSafeInteger()) }),
        }),
      ),
      error: fc.constantFrom(undefined, undefined, null, false),
    },
    { requiredKeys: [] },
  ),
);

describe('chunk fold', () => {
  it('produces a valid answer from anything that a server sends', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 8 }), fc.boolean(), (chunks, done) => {
        const folded = foldChunks(chunks, { done, offered: new Set(['read_file']) });
        const answer = toChatAnswer(folded, context);
        const ids = answer.calls.map((call) => call.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(JSON.stringify(answer)).not.toMatch(/\\u0000|\\ud[89a-f]/i);
        expect(JSON.parse(JSON.stringify(answer))).toEqual({ ...answer });
        if (!folded.complete) expect(answer.calls.every((call) => call.arguments.kind === 'malformed')).toBe(true);
        const { inputTokens, cachedInputTokens, outputTokens } = answer.usage;
        for (const tokens of [inputTokens, cachedInputTokens, outputTokens])
          expect(Number.isSafeInteger(tokens)).toBe(true);
        expect(Math.min(inputTokens, cachedInputTokens, outputTokens)).toBeGreaterThanOrEqual(0);
        expect(inputTokens).toBeLessThanOrEqual(5_000);
        expect(cachedInputTokens).toBeLessThanOrEqual(inputTokens);
        expect(outputTokens).toBeLessThanOrEqual(Math.max(1_000, 4 * JSON.stringify(chunks).length));
      }),
      { numRuns: 2_000 },
    );
  });

  it('turns any whole body into an answer, an ErrorInAnswer or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(chunk, anything), (body) => {
        try {
          const folded = foldWholeAnswer(body);
          if (folded) toChatAnswer(folded, context);
        } catch (error) {
          expect(error).toBeInstanceOf(ErrorInAnswer);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
