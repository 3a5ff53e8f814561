import { describe, expect, it } from 'vitest';
import { findProtectedChange, protectedFieldsSchema, type ProtectedField } from './protected-fields.js';

const FIELDS: readonly ProtectedField[] = protectedFieldsSchema.parse([
  { file: 'registry.json', pointer: '/items/*/verified', writer: 'verifier' },
  { file: 'state/*.yaml', pointer: '/status', writer: 'machine' },
  { file: 'feature-list.json', writer: 'machine' },
]);
const registry = (...verified: readonly unknown[]): string =>
  JSON.stringify({ items: verified.map((value, id) => ({ id, verified: value })) });
const find = (path: string, before: string | undefined, after: string | undefined): string | undefined =>
  findProtectedChange(FIELDS, path, before, after);

describe('a change of a file with protected fields', () => {
  it.each<readonly [string, string | undefined, string | undefined]>([
    ['other fields', registry(false), '{"items": [{"verified": false, "id": 7, "name": "a"}]}'],
    ['layout only', registry(false, true), JSON.stringify(JSON.parse(registry(false, true)), null, 2)],
    ['an item without the field is added', registry(true), '{"items":[{"verified":true},{"id":2}]}'],
    ['the file is created without the field', undefined, '{"items":[{"id":1}]}'],
    ['the file is deleted without the field', '{"items":[]}', undefined],
    [
      'the members of the field come in another order',
      '{"items":[{"verified":{"a":1,"b":2}}]}',
      '{"items":[{"verified":{"b":2,"a":1}}]}',
    ],
  ])('is allowed: %s', (_, before, after) => {
    expect(find('registry.json', before, after)).toBeUndefined();
  });

  it.each<readonly [string, string | undefined, string | undefined, string]>([
    [
      'the value',
      registry(true, false),
      registry(true, true),
      '/items/1/verified of registry.json is written by verifiers only',
    ],
    ['the type of the value', registry(1), registry('1'), '/items/0/verified'],
    ['a new item that has it', registry(true), registry(true, false), '/items/1/verified'],
    ['an item removed', registry(true, true), registry(true), '/items/1/verified'],
    ['a file created with it', undefined, registry(true), '/items/0/verified'],
    ['the file deleted', registry(false), undefined, '/items/0/verified'],
    ['a file that cannot be read any more', registry(false), '{"items":', 'cannot be read as JSON'],
    [
      'nesting too deep to be compared',
      registry(false),
      `{"items":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      'cannot be read',
    ],
    ['a member named twice', registry(false), '{"items":[{"verified":false,"verified":true}]}', '/items/0/verified'],
    ['a list that becomes an object', registry(false), '{"items":{"x":{"verified":true}}}', '/items/0/verified'],
    ['a file that could not be read before', '{', registry(true), '/items/0/verified'],
  ])('is refused: %s', (_, before, after, expected) => {
    expect(find('registry.json', before, after)).toContain(expected);
  });

  it('is found in YAML, with globs, and behind aliases', () => {
    expect(find('state/a.yaml', 'status: open\nnote: x\n', 'note: y\nstatus: open\n')).toBeUndefined();
    expect(find('state/a.yaml', 'status: open\n', 'a: &s done\nstatus: *s\n')).toBe(
      '/status of state/a.yaml is written by the machine only',
    );
    expect(find('state/a.yaml', 'status: open\n', 'status: [\n')).toContain('cannot be read as YAML');
    expect(find('state/deep/a.yaml', 'status: open\n', 'status: done\n')).toBeUndefined();
    const bomb = [
      'a0: &a0 [x,x,x,x,x,x,x,x,x,x]',
      ...Array.from({ length: 8 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(',')}]`),
      'status: *a8',
    ];
    expect(find('state/a.yaml', 'status: open\n', bomb.join('\n'))).toContain('cannot be read as YAML');
  });

  it('is refused for a whole file, unless its text stays the same', () => {
    expect(find('feature-list.json', '[]', '[ ]')).toBe('feature-list.json is written by the machine only');
    expect(find('feature-list.json', undefined, '[]')).toBe('feature-list.json is written by the machine only');
    expect(find('feature-list.json', '[]', undefined)).toBe('feature-list.json is written by the machine only');
    expect(find('feature-list.json', '[]', '[]')).toBeUndefined();
    expect(find('feature-list.yaml', undefined, '[]')).toBeUndefined();
  });
});

it('rules of an erased job can be read', () => {
  const redacted = { file: '[redacted]', pointer: '[redacted]', writer: 'verifier' };
  expect(protectedFieldsSchema.parse([redacted])).toEqual([redacted]);
});

it('rules that could not be followed are refused', () => {
  const problem = (rule: object): string => protectedFieldsSchema.safeParse([rule]).error?.issues[0]?.message ?? '';
  expect(problem({ file: 'a.json', writer: 'verifier' })).toContain('a whole file is written by');
  expect(problem({ file: 'a.toml', pointer: '/a', writer: 'machine' })).toContain('.json, .yaml or .yml');
  expect(problem({ file: '../a.json', pointer: 'a', writer: 'machine' })).toContain('JSON pointer');
  expect(problem({ file: '/a.json', writer: 'machine' })).toContain('relative');
  expect(problem({ file: 'a.json', writer: 'agent' })).not.toBe('');
});
