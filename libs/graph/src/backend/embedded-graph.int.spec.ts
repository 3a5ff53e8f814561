import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase, createTestPool } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedGraph } from './embedded-graph.js';
import { describeGraphContract } from './graph-contract.fixture.js';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createTestPool({ connectionString: database.serviceUrl, max: 8 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('EmbeddedGraph', () => {
  describeGraphContract(async () => new EmbeddedGraph(pool, 'contract'));

  const limits = { maxRows: 10, timeoutMs: 20_000 };
  const write = (graph: EmbeddedGraph, query: string, parameters = {}): Promise<string> =>
    graph.change({ jobId: randomUUID(), callId: 'c' }, limits, async (ask) =>
      JSON.stringify((await ask(query, parameters)).rows),
    );

  it('never shows one graph in another', async () => {
    const [one, other] = [new EmbeddedGraph(pool, 'tenant-a'), new EmbeddedGraph(pool, 'tenant-b')];
    await write(one, `CREATE (:Secret {name: 'x'})-[:OF]->(:Secret {name: 'y'})`);
    expect((await other.read('MATCH (n) OPTIONAL MATCH (n)-[r]-() RETURN n, r', {}, limits)).rows).toEqual([]);
    expect(await other.schema(limits)).toEqual({ labels: [], relationships: [] });
    await write(other, 'MATCH (n) DETACH DELETE n');
    expect((await one.read('MATCH (n) RETURN count(*) AS n', {}, limits)).rows).toEqual([[2]]);
  });

  it('stops a query that is too broad, and one that takes too long', async () => {
    const graph = new EmbeddedGraph(pool, 'dense');
    await write(graph, 'UNWIND range(1, 24) AS i CREATE (:N {i: i})');
    await write(graph, 'MATCH (a:N), (b:N) WHERE a.i <> b.i CREATE (a)-[:TO]->(b)');
    await expect(graph.read('MATCH (a:N)-[:TO*]->(b) RETURN count(*) AS n', {}, limits)).rejects.toMatchObject({
      code: 'too_broad',
    });
    await expect(graph.read('MATCH (a:N) RETURN a', {}, { maxRows: 1, timeoutMs: 0.001 })).rejects.toMatchObject({
      code: 'query_timeout',
    });
    await expect(
      graph.read('MATCH (a:N) RETURN a', {}, { ...limits, signal: AbortSignal.abort(new Error('cancelled')) }),
    ).rejects.toThrow('cancelled');
  });

  it('rolls back the change of a process that died, and has one effect when another process repeats the call', async () => {
    const victim = createTestPool({ connectionString: database.serviceUrl, max: 1, application_name: 'victim' });
    victim.on('error', () => undefined);
    victim.on('connect', (client) => client.on('error', () => undefined));
    const call = { jobId: randomUUID(), callId: 'call_1_1_1' };
    const dyingChange = new EmbeddedGraph(victim, 'crash').change(call, limits, async (ask) => {
      await ask('CREATE (:Made {by: 1})');
      await pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'");
      await ask('CREATE (:Made {by: 1})');
      return 'first';
    });
    await expect(dyingChange).rejects.toMatchObject({ code: 'database_unavailable', retryable: true });
    await victim.end();
    const takeovers = [1, 2, 3].map((number) =>
      new EmbeddedGraph(pool, 'crash').change(call, limits, async (ask) => {
        await ask('CREATE (:Made {by: 2})');
        return `takeover ${number}`;
      }),
    );
    const answers = await Promise.all(takeovers);
    expect(new Set(answers).size).toBe(1);
    const { rows } = await new EmbeddedGraph(pool, 'crash').read('MATCH (m:Made) RETURN m.by', {}, limits);
    expect(rows).toEqual([[2]]);
  });

  it.each([
    ['MATCH (n RETURN n', 'syntax', /Expected '\)', but found 'RETURN' at line 1, column 10/],
    ['MATCH (n) RETURN m', 'syntax', /m is not defined/],
    ['MATCH (n:Person) RETURN n.name = $who AS x', 'missing_parameter', /\$who/],
    ['MATCH (n) RETURN apoc.text.join(n.name)', 'syntax', /./],
    ['MATCH (n) RETURN pagerank(n)', 'unsupported', /pagerank/],
    ['MATCH p = shortestPath((a)-[*]-(b)) RETURN p', 'unsupported', /shortestPath/],
    ["MATCH (n:Person) WHERE n.name =~ '(a+)+' RETURN n", 'unsupported', /Regular expressions/],
    ['MATCH (n)', 'syntax', /end with RETURN/],
    ['', 'syntax', /./],
    [`RETURN ${'('.repeat(300)}1${')'.repeat(300)} AS x`, 'syntax', /nested too deeply/],
  ])('reports what is wrong with %s', async (query, code, message) => {
    const failure = new EmbeddedGraph(pool, 'contract').read(query, {}, limits);
    await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
  });
});
