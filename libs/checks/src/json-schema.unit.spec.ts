import type { JsonObject, JsonValue } from '@phaseline/basics';
import { expect, it } from 'vitest';
import { findSchemaProblem, findViolations } from './json-schema.js';

it.each<[schema: JsonObject, valid: JsonValue, invalid: JsonValue]>([
  [{ type: 'object', required: ['id'] }, { id: 1 }, {}],
  [{ required: ['id'] }, { id: 1 }, {}],
  [{ properties: { port: { type: 'integer' } } }, { port: 1 }, { port: 'x' }],
  [{ minimum: 3 }, 3, 2],
  [{ minLength: 2 }, 'ab', 'a'],
  [{ items: { type: 'string' } }, ['a'], [1]],
  [{ enum: [{ a: 1 }] }, { a: 1 }, { a: 2 }],
  [{ not: { type: 'string' } }, 1, 'a'],
  [{ if: { properties: { a: { const: 1 } } }, then: { required: ['b'] } }, { a: 2 }, { a: 1 }],
  [{ dependentRequired: { a: ['b'] } }, { b: 1 }, { a: 1 }],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1.5, 1],
  [{ type: 'object', additionalProperties: false }, {}, { a: 1 }],
  [{ type: 'string', format: 'date' }, '2030-01-31', '31.1.'],
  [{ type: ['string', 'null'] }, null, 1],
])('%j accepts %j and refuses %j', (schema, valid, invalid) => {
  expect(findSchemaProblem(schema)).toBeUndefined();
  expect(findViolations(schema, valid)).toEqual([]);
  expect(findViolations(schema, invalid)).not.toEqual([]);
});

it('names the place and the cause of a violation, without repeating it', () => {
  const schema = { type: 'object', properties: { list: { type: 'array', items: { required: ['id'] } } } };
  expect(findViolations(schema, { list: [{ id: 1 }, {}] })).toEqual([
    '/list/1: Instance does not have required property "id".',
  ]);
});

it.each<[schema: JsonObject, problem: RegExp]>([
  [{ type: 'strng' }, /not a usable JSON Schema: type/],
  [{ properties: { a: { minimun: 1 } } }, /no keyword "minimun"/],
  [{ properties: { a: { pattern: '(a+)+$' } } }, /may not use pattern/],
  [{ anyOf: [{ $ref: 'http://127.0.0.1/' }] }, /may not use \$ref/],
  [{ description: 'x'.repeat(10_000) }, /longer than 10000 characters/],
  [nest(40), /nested deeper than 32 levels/],
])('refuses the schema %j', (schema, problem) => {
  expect(findSchemaProblem(schema)).toMatch(problem);
});

it('allows properties that are named like keywords', () => {
  expect(findSchemaProblem({ properties: { pattern: { type: 'string' }, $ref: {} } })).toBeUndefined();
});

function nest(levels: number): JsonObject {
  return levels === 0 ? {} : { not: nest(levels - 1) };
}
