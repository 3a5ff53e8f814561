import type { JsonObject } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fitArguments, unknownArguments } from './fit-arguments.js';
import { inputSchema } from './input-schema.js';

const schema = inputSchema(
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

describe('arguments that are almost right', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a number as text', { todo_id: '4' }, { todo_id: 4 }],
    ['a number with blanks around it', { todo_id: ' 4 ' }, { todo_id: 4 }],
    ['a fraction as text', { todo_id: 1, ratio: '-0.5' }, { todo_id: 1, ratio: -0.5 }],
    ['a truth value as text', { todo_id: 1, done: 'True' }, { todo_id: 1, done: true }],
    ['a number where text is wanted', { todo_id: 1, text: 7 }, { todo_id: 1, text: '7' }],
    ['a list as JSON text', { todo_id: 1, paths: '["a","b"]' }, { todo_id: 1, paths: ['a', 'b'] }],
    [
      'an object as JSON text, and what is in it',
      { todo_id: 1, place: '{"line":"3"}' },
      { todo_id: 1, place: { line: 3 } },
    ],
    ['null for what is not given', { todo_id: 1, text: null }, { todo_id: 1 }],
  ])('are read: %s', (_, given, read) => {
    expect(fitArguments(schema, given)).toEqual(read);
  });

  it.each<[string, JsonObject]>([
    ['no number', { todo_id: 'four' }],
    ['a fraction for a whole number', { todo_id: '4.5' }],
    ['a number too long to be exact', { todo_id: '12345678901234567890' }],
    ['another base', { todo_id: '0x10' }],
    ['text where text is one of the choices', { todo_id: 1, either: '4' }],
    ['null where null is a choice', { todo_id: 1, maybe: null }],
    ['null for what is required', { todo_id: null }],
    ['text that only begins like a list', { todo_id: 1, paths: '[a' }],
    ['a choice that there is not', { todo_id: 1, kind: 'c' }],
  ])('are left as they are: %s', (_, given) => {
    expect(fitArguments(schema, given)).toEqual(given);
  });

  it('names what the tool does not know, unless it takes anything', () => {
    expect(unknownArguments(schema, { todo_id: 1, todoId: 1, why: 'x' })).toEqual(['todoId', 'why']);
    expect(unknownArguments({ type: 'object', properties: {}, additionalProperties: true }, { any: 1 })).toEqual([]);
    expect(unknownArguments(schema, JSON.parse('{"todo_id":1,"__proto__":1}') as JsonObject)).toEqual(['__proto__']);
  });
});

it('a schema carries no bounds that say nothing', () => {
  expect(JSON.stringify(schema)).not.toMatch(/9007199254740991/);
  expect(schema).toMatchObject({ properties: { todo_id: { type: 'integer', minimum: 1 } } });
});
