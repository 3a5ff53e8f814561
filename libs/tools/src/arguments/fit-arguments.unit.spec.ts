import type { JsonObject } from '@phaseline/basics';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fitArguments, findUnknownArguments } from './fit-arguments.js';
import { buildInputSchema } from './input-schema.js';

const schema = buildInputSchema(
  z.object({
    todo_id: z.int().min(1),
    ratio: z.number().optional(),
    done: z.boolean().optional(),
    text: z.string().optional(),
    paths: z.array(z.string()).optional(),
    place: z.object({ line: z.int() }).optional(),
    either: z.union([z.string(), z.int()]).optional(),
    kind: z.enum(['a', 'b']).optional(),
    maybe: z.string().nullable().optional(),
  }),
);

describe('arguments of a wrong type', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a number as text', { todo_id: '4' }, { todo_id: 4 }],
    ['a number surrounded by spaces', { todo_id: ' 4 ' }, { todo_id: 4 }],
    ['a fraction as text', { todo_id: 1, ratio: '-0.5' }, { todo_id: 1, ratio: -0.5 }],
    ['a boolean as text', { todo_id: 1, done: 'True' }, { todo_id: 1, done: true }],
    ['a number where the schema expects text', { todo_id: 1, text: 7 }, { todo_id: 1, text: '7' }],
    ['a list as JSON text', { todo_id: 1, paths: '["a","b"]' }, { todo_id: 1, paths: ['a', 'b'] }],
    [
      'an object as JSON text, with its members',
      { todo_id: 1, place: '{"line":"3"}' },
      { todo_id: 1, place: { line: 3 } },
    ],
    ['null for an omitted argument', { todo_id: 1, text: null }, { todo_id: 1 }],
  ])('are converted: %s', (_, given, converted) => {
    expect(fitArguments(schema, given)).toEqual(converted);
  });

  it.each<[string, JsonObject]>([
    ['text that is not a number', { todo_id: 'four' }],
    ['a fraction for a whole number', { todo_id: '4.5' }],
    ['a number too long to be exact', { todo_id: '12345678901234567890' }],
    ['a number in another base', { todo_id: '0x10' }],
    ['text where the schema accepts text', { todo_id: 1, either: '4' }],
    ['null where the schema accepts null', { todo_id: 1, maybe: null }],
    ['null for a required argument', { todo_id: null }],
    ['text that only starts like a list', { todo_id: 1, paths: '[a' }],
    ['a value that is not in the enum', { todo_id: 1, kind: 'c' }],
  ])('are left unchanged: %s', (_, given) => {
    expect(fitArguments(schema, given)).toEqual(given);
  });

  it('returns unknown arguments, unless the schema allows additional properties', () => {
    expect(findUnknownArguments(schema, { todo_id: 1, todoId: 1, why: 'x' })).toEqual(['todoId', 'why']);
    expect(findUnknownArguments({ type: 'object', properties: {}, additionalProperties: true }, { any: 1 })).toEqual(
      [],
    );
    expect(findUnknownArguments(schema, JSON.parse('{"todo_id":1,"__proto__":1}') as JsonObject)).toEqual([
      '__proto__',
    ]);
  });
});

it('omits the safe-integer bounds from the schema', () => {
  expect(JSON.stringify(schema)).not.toMatch(/9007199254740991/);
  expect(schema).toMatchObject({ properties: { todo_id: { type: 'integer', minimum: 1 } } });
});
