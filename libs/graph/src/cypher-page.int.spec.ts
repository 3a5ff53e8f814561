import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createTestDatabase, createTestPool, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedGraph } from './backend/embedded-graph.js';
import { AGGREGATE_NAMES } from './cypher/aggregates.js';
import { functionNames } from './cypher/functions.js';

/** docs/reference/cypher.md states what the engine supports. Its examples run here in order, on one graph; its error codes are those of the tools. */
const page = readFileSync(new URL('../../../docs/reference/cypher.md', import.meta.url), 'utf8');
const examples = page.split('\n').flatMap((line) => {
  const [, , query, expected] = /^\| (`+)(.+?) ?\1 \| `(\[.*\]|cypher_\w+)` \|$/.exec(line) ?? [];
  return query === undefined ? [] : [{ query: query.replaceAll('\\|', '|'), expected: expected! }];
});

let database: TestDatabase;
let pool: pg.Pool;
let graph: EmbeddedGraph;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createTestPool({ connectionString: database.serviceUrl, max: 2 });
  graph = new EmbeddedGraph(pool, 'page');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const limits = { maxRows: 100, timeoutMs: 20_000 };
const run = (query: string): Promise<unknown> =>
  graph.change({ jobId: randomUUID(), callId: 'c' }, limits, async (ask) => JSON.stringify((await ask(query)).rows));

describe('docs/reference/cypher.md', () => {
  it.each(examples)('$query gives $expected', async ({ query, expected }) => {
    if (expected.startsWith('[')) expect(JSON.parse(String(await run(query)))).toEqual(JSON.parse(expected));
    else await expect(run(query)).rejects.toMatchObject({ code: expected.slice('cypher_'.length) });
  });

  it('has an example of every function and aggregate', () => {
    const called = new Set(
      examples.flatMap(({ query }) => [...query.toLowerCase().matchAll(/(\w+)\(/g)].map((m) => m[1])),
    );
    expect([...functionNames, ...AGGREGATE_NAMES].filter((name) => !called.has(name))).toEqual([]);
  });

  it('says how long a query and a path may be, and how deep expressions may nest', async () => {
    const ofLength = (length: number): string => `RETURN '${'x'.repeat(length - 9)}'`;
    await expect(run(ofLength(20_000))).resolves.toBeDefined();
    await expect(run(ofLength(20_001))).rejects.toMatchObject({ code: 'syntax' });
    await expect(run('MATCH ({name: "Ada"})-[*1..15]->(n) RETURN n.x')).resolves.toBeDefined();
    const nested = (depth: number): string => `RETURN ${'['.repeat(depth)}${']'.repeat(depth)} AS l`;
    await expect(run(nested(60))).resolves.toBeDefined();
    await expect(run(nested(61))).rejects.toMatchObject({ code: 'syntax' });
  });

  it('names the limits of the engine', async () => {
    await expect(run('UNWIND range(1, 50000) AS a RETURN count(a) AS n')).resolves.toBe('[[50000]]');
    await expect(run('UNWIND range(1, 50001) AS a RETURN count(a) AS n')).rejects.toMatchObject({
      code: 'too_broad',
    });
    for (const value of ['20,000', '60', '15', '50,000', '100,000']) expect(page).toContain(`| ${value} |`);
  });
});
