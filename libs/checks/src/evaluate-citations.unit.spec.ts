import { describe, expect, it } from 'vitest';
import type { CheckInput } from './check-input.js';
import { evaluateChecks } from './evaluate-check.js';
import type { Check } from './check.js';

const SOURCE = 'All clients MUST support the [JSON format](json.md),\nand they \u201cmay\u201d log each_id.';

function evaluate(
  document: unknown,
  citations: object = {},
  texts: Readonly<Record<string, string>> = { 'documents/a.md': SOURCE },
) {
  const files = { 'output/list.json': JSON.stringify(document), ...texts };
  const input: CheckInput = {
    tree: Object.fromEntries(
      Object.keys(files).map((path) => [path, { hash: path, size: 1, writtenAt: '2026-01-01T00:00:00.000Z' }]),
    ),
    hashAt: () => undefined,
    provable: [],
    calls: [],
    todoFrom: 1,
    lastWrite: () => undefined,
    readText: (hash) => (files as Readonly<Record<string, string>>)[hash],
    schemas: {},
    runs: new Map(),
  };
  const check: Check = {
    file: { path: 'output/list.json', citations: { at: '/items/*/quote', in: ['documents/**'], ...citations } },
  };
  return evaluateChecks([check], input);
}

describe('the check of citations', () => {
  it('holds if every quotation occurs in a source, whatever its layout and punctuation', () => {
    const items = [{ quote: 'support the JSON format' }, { quote: 'and they "may"  log' }];
    expect(evaluate({ items: [{ quote: 'All clients MUST support the [JSON format]' }, items[1]] }).kind).toBe('holds');
  });

  it.each([
    ['other words', 'All clients SHOULD support the'],
    ['another order', 'clients All MUST support'],
    ['a part of a word', 'ients MUST support the'],
    ['too few words to mean anything', 'MUST support'],
  ])('fails for %s', (_what, quote) => {
    expect(evaluate({ items: [{ quote }] })).toMatchObject({
      kind: 'fails',
      failures: [{ found: expect.stringContaining(`1 of 1 do not: ${JSON.stringify(quote)}`) as unknown }],
    });
  });

  it('fails for an item without a quotation, for none at all, and without a source', () => {
    expect(evaluate({ items: [{}] }).kind).toBe('fails');
    expect(evaluate({ items: [] })).toMatchObject({ failures: [{ found: '0' }] });
    expect(evaluate({ items: [{ quote: 'All clients MUST' }] }, { in: ['sources/**'] }).kind).toBe('fails');
  });
});
