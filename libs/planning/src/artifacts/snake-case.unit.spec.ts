import type { JsonValue } from '@phaseline/basics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCamelCase, toSnakeCase } from './snake-case.js';

/** JSON values whose keys have the given form, or are data. */
const jsonWith = (key: fc.Arbitrary<string>): fc.Arbitrary<JsonValue> =>
  fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  })).value;
const noUnderscore = fc.string({ unit: fc.constantFrom(...'abzABZ09 :-é'), maxLength: 8 });
const noCapital = fc.string({ unit: fc.constantFrom(...'abz09_ :-é'), maxLength: 8 });

describe('the names of fields', () => {
  it('become snake_case at every depth; data stays as it is', () => {
    const value = {
      optionsTried: [{ costDelta: 1, title: 'keepThis' }],
      contains: { 'L1 once': ['L2 once'] },
      a1B2C: 0,
    };
    expect(toSnakeCase(value)).toEqual({
      options_tried: [{ cost_delta: 1, title: 'keepThis' }],
      contains: { 'L1 once': ['L2 once'] },
      a1_b2_c: 0,
    });
  });

  it('come back exactly from snake_case, for any value without underscores in keys', () => {
    fc.assert(
      fc.property(jsonWith(noUnderscore), (value) => {
        expect(toCamelCase(toSnakeCase(value))).toEqual(value);
      }),
    );
  });

  it('come back exactly from camelCase, for any value without capitals in keys', () => {
    fc.assert(
      fc.property(jsonWith(noCapital), (value) => {
        expect(toSnakeCase(toCamelCase(value))).toEqual(value);
      }),
    );
  });

  it('keep a key named __proto__ an ordinary key', () => {
    const value = JSON.parse('{"__proto__":{"someKey":1}}') as JsonValue;
    expect(JSON.stringify(toSnakeCase(value))).toBe('{"__proto__":{"some_key":1}}');
  });
});
