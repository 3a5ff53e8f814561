import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrorInAnswer, foldChunks, foldWholeAnswer } from './fold-chunks.js';
import { toChatAnswer } from './to-chat-answer.js';

const context = {
  request: { messages: [], tools: [{ name: 'read_file', description: '', parameters: {} }] },
  profile: { textCallRescue: true },
  countTokens: (text: string) => text.length,
  countInput: () => 1,
  mostInput: () => 5_000,
  reservedOutput: 1_000,
};

/** Chunks whose members are now and then what they should be, and anything else otherwise. */
const anything = fc.jsonValue({ maxDepth: 2 });
const or = <T>(value: fc.Arbitrary<T>) => fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: anything });
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
const piece = or(
  fc.record(
    {
      index: or(fc.constantFrom(0, 1, '0', null)),
      id: or(fc.constantFrom('', 'a', 'b', null)),
      function: or(fc.record({ name: or(text), arguments: or(text) }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  ),
);
const delta = or(
  fc.record(
    { content: or(text), reasoning: or(text), refusal: or(text), tool_calls: or(fc.array(piece, { maxLength: 3 })) },
    { requiredKeys: [] },
  ),
);
const choice = or(
  fc.record({ index: or(fc.constant(0)), delta, message: delta, finish_reason: or(text) }, { requiredKeys: [] }),
);
const chunk = or(
  fc.record(
    {
      choices: or(fc.array(choice, { maxLength: 2 })),
      usage: or(
        fc.record({
          prompt_tokens: or(fc.oneof(fc.nat(), fc.maxSafeNat())),
          completion_tokens: or(fc.oneof(fc.integer(), fc.maxSafeInteger())),
          prompt_tokens_details: fc.record({ cached_tokens: or(fc.maxSafeInteger()) }),
        }),
      ),
      error: fc.constantFrom(undefined, undefined, null, false),
    },
    { requiredKeys: [] },
  ),
);

describe('the fold', () => {
  it('makes a sound answer of whatever a server sends', () => {
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

  it('makes no more of a whole answer than an answer, an error or nothing', () => {
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
