import { describe, expect, it } from 'vitest';
import { findAuthorSchemaProblem, findAuthorViolations } from './author-schema.js';

describe('a schema of an author', () => {
  const schema = {
    $defs: {
      item: { type: 'object', required: ['id'], properties: { id: { type: 'string', pattern: '^R-[0-9]+$' } } },
    },
    type: 'array',
    minItems: 1,
    items: { $ref: '#/$defs/item' },
  };

  it('may have patterns and references within itself', () => {
    expect(findAuthorSchemaProblem(schema)).toBeUndefined();
    expect(findAuthorViolations(schema, [{ id: 'R-1' }])).toEqual([]);
    expect(findAuthorViolations(schema, [{ id: 'one' }])).not.toEqual([]);
    expect(findAuthorViolations(schema, [])).not.toEqual([]);
  });

  it.each([
    ['a misspelt keyword', { minItem: 1 }, 'it has no keyword "minItem"'],
    ['a misspelt keyword of a definition', { $defs: { a: { requierd: [] } } }, 'it has no keyword "requierd"'],
    ['a pattern that needs backtracking', { type: 'string', pattern: '(a)\\1' }, 'cannot be used'],
    ['a reference to nothing', { $ref: '#/$defs/item' }, 'has no #/$defs/item'],
    ['a reference to a server', { $ref: 'https://example.org/schema.json' }, 'not a usable JSON Schema'],
  ])('is refused for %s', (_what, given, problem) => {
    expect(findAuthorSchemaProblem(given)).toContain(problem);
  });

  it('matches patterns in linear time, also those that would stop a backtracking matcher', () => {
    const bomb = { type: 'string', pattern: '^(a+)+$' };
    expect(findAuthorSchemaProblem(bomb)).toBeUndefined();
    expect(findAuthorViolations(bomb, `${'a'.repeat(50_000)}b`)).not.toEqual([]);
  });

  it('that refers to itself without end refuses every document instead of failing', () => {
    const endless = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
    expect(findAuthorViolations(endless, {})).toEqual(['the schema refers to itself without end']);
  });
});
