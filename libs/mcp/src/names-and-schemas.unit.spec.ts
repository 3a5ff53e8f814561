import { describe, expect, it } from 'vitest';
import { createOfferedName } from './offered-name.js';
import { toParametersSchema } from './parameters.js';

describe('offered name', () => {
  it('is the plain name if that is legal', () => {
    expect(createOfferedName('github', 'create_issue')).toBe('mcp__github__create_issue');
  });

  it('is legal, short enough, unique and deterministic for any tool name', () => {
    const odd = [
      'a.b',
      'a/b',
      'a b',
      'a_b',
      'ä_b',
      '',
      '\n',
      'x'.repeat(64),
      'x'.repeat(65),
      `${'x'.repeat(80)}1`,
      `${'x'.repeat(80)}2`,
    ];
    const names = odd.map((tool) => createOfferedName('files', tool));
    for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
    expect(new Set(names).size).toBe(odd.length);
    expect(odd.map((tool) => createOfferedName('files', tool))).toEqual(names);
    expect(createOfferedName('files', 'a.b')).toBe('mcp__files__a_b_2c903068');
  });
});

describe('parameters schema', () => {
  const anything = { type: 'object', properties: {}, additionalProperties: true };

  it.each([
    undefined,
    null,
    true,
    'x',
    [],
    { type: 'string' },
    { $ref: 'https://elsewhere/' },
    { $ref: '#' },
    { $ref: '#/$defs/no' },
  ])('allows any object if the schema %j does not describe one', (schema) =>
    expect(toParametersSchema(schema)).toEqual(anything),
  );

  it('is a plain object schema unchanged', () => {
    const plain = {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      required: ['a'],
      additionalProperties: false,
    };
    expect(toParametersSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...plain })).toEqual(plain);
    expect(toParametersSchema({ properties: { a: {} } })).toEqual({ type: 'object', properties: { a: {} } });
  });

  it('allows the properties of all alternatives and requires those that all of them require', () => {
    const a = { type: 'object', properties: { x: {}, a: {} }, required: ['x', 'a'] };
    const b = { type: 'object', properties: { x: {}, b: {} }, required: ['x'] };
    expect(toParametersSchema({ oneOf: [a, b], additionalProperties: false })).toEqual({
      type: 'object',
      properties: { x: {}, a: {}, b: {} },
      required: ['x'],
    });
    expect(toParametersSchema({ allOf: [a, b] })).toMatchObject({ required: ['x', 'a'] });
  });

  it('handles self-referencing schemas and drops huge ones', () => {
    expect(toParametersSchema({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toEqual(anything);
    expect(toParametersSchema({ type: 'object', description: 'x'.repeat(40_000) })).toEqual(anything);
    const loop: Record<string, unknown> = {};
    loop['loop'] = loop;
    expect(toParametersSchema(loop)).toEqual(anything);
  });
});
