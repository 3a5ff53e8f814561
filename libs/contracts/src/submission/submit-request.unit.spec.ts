import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SUBMIT_LIMITS } from './document.js';
import { submitRequestSchema } from './submit-request.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function findProblems(request: unknown): string[] {
  const parsed = submitRequestSchema.safeParse(request);
  return parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

describe('a submit request', () => {
  it('is valid with all optional fields', () => {
    const request = {
      agent: 'creator',
      instructions: 'Only chapter 3.',
      documents: [
        { name: 'spec.md', content: '# Spec' },
        { name: 'more/annex.pdf', contentBase64: base64('%PDF-1.7'), mediaType: 'application/pdf' },
      ],
      budgets: { maxCostUsd: 0.5, maxTokens: 1_000, maxPhases: 4, maxWallTimeMs: 60_000 },
      parameters: { language: 'de', sections: [1, 2, { deep: null }] },
      idempotencyKey: 'order-7',
      labels: { team: 'norms', 'example.org/run': '12' },
      priority: 10,
    };
    expect(submitRequestSchema.parse(request)).toEqual(request);
  });

  it('rejects a misspelt budget instead of ignoring it', () => {
    expect(findProblems({ agent: 'creator', budgets: { maxCostUsd: 1e300 } })).toHaveLength(1);
    expect(findProblems({ agent: 'creator', budgets: { maxWallTimeMs: Number.MAX_SAFE_INTEGER } })).toHaveLength(1);
    expect(findProblems({ agent: 'creator', budgets: { maxCost: 1 } })).toEqual([
      expect.stringContaining('budgets: Unrecognized key: "maxCost"'),
    ]);
  });

  it.each([
    ['../secrets', 'climbs out'],
    ['a/../b', 'climbs inside'],
    ['/etc/passwd', 'is absolute'],
    ['a\\b', 'has a backslash'],
    ['a\u0000b', 'has a NUL'],
    ['a\nb', 'has a line break'],
    ['a/', 'ends in a slash'],
    ['./a', 'has a dot part'],
    ['\ud800.md', 'has half a surrogate pair'],
    ['x'.repeat(256), 'is too long'],
    ['', 'is empty'],
  ])('rejects the document name %j because it %s', (name) => {
    expect(findProblems({ agent: 'creator', documents: [{ name, content: '' }] })).toEqual([
      expect.stringMatching(/^documents\.0\.name: expected a relative name/),
    ]);
  });

  it('rejects two documents with the same name', () => {
    const documents = [
      { name: 'a.md', content: '1' },
      { name: 'b.md', content: '2' },
      { name: 'a.md', content: '3' },
    ];
    expect(findProblems({ agent: 'creator', documents })).toEqual([
      'documents.2.name: expected unique names, found "a.md" twice',
    ]);
  });

  it.each([
    ['neither text nor bytes', {}],
    ['both text and bytes', { content: 'a', contentBase64: base64('a') }],
  ])('rejects a document with %s', (_, content) => {
    expect(findProblems({ agent: 'creator', documents: [{ name: 'a.md', ...content }] })).toEqual([
      expect.stringContaining('exactly one of'),
    ]);
  });

  it('accepts an empty document, because only its reader can tell whether that is an error', () => {
    expect(findProblems({ agent: 'creator', documents: [{ name: 'a.md', content: '' }] })).toEqual([]);
  });

  it('rejects base64 that would lose bytes', () => {
    expect(findProblems({ agent: 'creator', documents: [{ name: 'a.bin', contentBase64: 'abc$' }] })).toHaveLength(1);
    expect(findProblems({ agent: 'creator', documents: [{ name: 'a.bin', contentBase64: 'abc' }] })).toHaveLength(1);
  });

  it('says what to do about a document that is too large, and accepts one of the maximum size', () => {
    const bytes = (count: number): string => Buffer.alloc(count).toString('base64');
    const request = (contentBase64: string): unknown => ({
      agent: 'creator',
      documents: [{ name: 'a.bin', contentBase64 }],
    });
    expect(findProblems(request(bytes(SUBMIT_LIMITS.documentBytes)))).toEqual([]);
    expect(findProblems(request(bytes(SUBMIT_LIMITS.documentBytes + 1)))).toEqual([
      expect.stringContaining('at most 32 MiB per document in JSON; send it as a file'),
    ]);
  });

  it('makes text well-formed that PostgreSQL could not store', () => {
    const parsed = submitRequestSchema.parse({
      agent: 'creator',
      instructions: 'a\u0000b\ud800c',
      parameters: { 'k\u0000': ['\udfff', { deep: 'x\u0000' }] },
      labels: { team: 'n\u0000' },
    });
    expect(parsed).toEqual({
      agent: 'creator',
      instructions: 'a\ufffdb\ufffdc',
      parameters: { 'k\ufffd': ['\ufffd', { deep: 'x\ufffd' }] },
      labels: { team: 'n\ufffd' },
    });
  });

  it('keeps the bytes of a document unchanged, including NUL', () => {
    const documents = [{ name: 'a.txt', content: 'a\u0000b' }];
    expect(submitRequestSchema.parse({ agent: 'creator', documents }).documents).toEqual(documents);
  });

  it('rejects parameters that JSON cannot represent or that are nested too deeply', () => {
    const deep: Record<string, unknown> = {};
    let inner = deep;
    for (let level = 0; level < 5_000; level += 1) inner = inner['a'] = {} as Record<string, unknown>;
    expect(findProblems({ agent: 'creator', parameters: deep })).toEqual([
      expect.stringContaining('at most 32 levels'),
    ]);
    expect(findProblems({ agent: 'creator', parameters: { when: new Date(0) } })).toEqual([
      'parameters.when: expected a JSON value',
    ]);
    expect(findProblems({ agent: 'creator', parameters: { list: [Number.NaN] } })).toEqual([
      'parameters.list.0: expected a JSON value',
    ]);
  });

  it('cannot be used to reach a prototype', () => {
    const parsed = submitRequestSchema.parse(
      JSON.parse('{"agent":"creator","parameters":{"a":{"__proto__":{"polluted":true}}},"labels":{"__proto__":"x"}}'),
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(parsed.parameters?.['a'])).toBe(Object.prototype);
  });

  it('is described for OpenAPI under its name, with references to its parts', () => {
    const described = z.toJSONSchema(submitRequestSchema, { io: 'input' });
    expect(Object.keys(described.$defs ?? {})).toEqual(
      expect.arrayContaining(['SubmitRequest', 'Document', 'Budgets', 'Labels']),
    );
  });
});
