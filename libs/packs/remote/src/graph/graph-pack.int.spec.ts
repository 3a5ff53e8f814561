import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase, createTestPool } from '@phaseline/testing';
import type { RemoteTool } from '@phaseline/tools';
import { StagedWorkspace } from '@phaseline/workspace';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmbeddedGraphHost } from './graph-host.js';
import { createGraphPack } from './graph-pack.js';

let database: TestDatabase;
let pool: pg.Pool;
let jobId: string;
const tenants = new Map<string, string>();

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createTestPool({ connectionString: database.serviceUrl, max: 6 });
  jobId = job('acme');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function job(tenant: string): string {
  const id = randomUUID();
  tenants.set(id, tenant);
  return id;
}

async function call(name: string, args: object, at: { jobId?: string; callId?: string } = {}): Promise<string> {
  const host = createEmbeddedGraphHost({ database: pool, getTenant: async (id) => tenants.get(id) ?? 'default' });
  const tool = createGraphPack(host).tools.find((candidate) => candidate.name === name) as RemoteTool;
  const workspace = new StagedWorkspace({}, { get: async () => undefined });
  const context = { jobId, callId: randomUUID(), ...at, attempt: 1, signal: new AbortController().signal, workspace };
  return (await tool.run(context, tool.input.parse(args))).content;
}

describe('createGraphPack', () => {
  it('records a requirement and its fulfilment', async () => {
    await call('execute_cypher_update', {
      query: `CREATE (g:BusinessObject {name: 'Crane gate', aliases: ['Tor', 'gate'], description: 'Closes the yard.'}),
                     (m:Message {name: 'GateClosed'})-[:CARRIES]->(g)`,
    });
    const text = 'The gate must be closed at night.';
    expect(await call('check_for_duplicates', { text })).toBe('No duplicate.');
    const rid = await call('generate_requirement_id', { text });
    expect(rid).toMatch(/^REQ-[0-9a-f]{10}$/);
    expect(
      await call('create_requirement_node', { text, type: 'functional', confidence: 0.9, properties: { page: 3 } }),
    ).toContain(rid);
    expect(await call('generate_requirement_id', { text: 'the gate must be CLOSED at night' })).toContain(
      `${rid} (already in the graph`,
    );
    expect(await call('create_requirement_node', { text })).toBe(`${rid} is already in the graph.`);
    await expect(call('create_requirement_node', { text: 'Other words.', rid })).rejects.toMatchObject({
      code: 'id_taken',
    });
    expect(await call('check_for_duplicates', { text: 'The gate must be "closed" at night' })).toMatch(
      /\(the same words\)/,
    );
    expect(await call('check_for_duplicates', { text, rid })).toBe('No duplicate.');
    expect(await call('find_similar_requirements', { text: 'Gates are closed at night.' })).toContain(rid);
    expect(await call('find_similar_requirements', { text: 'Invoices carry a number.' })).toBe(
      'No similar requirements.',
    );
    expect(await call('resolve_business_object', { name: 'tor' })).toBe('Crane gate: Closes the yard.');
    expect(await call('resolve_message', { name: 'gate closed' })).toBe('GateClosed');
    expect(await call('resolve_message', { name: 'closed gates' })).toMatch(
      /^No message .* Similar ones:\n- GateClosed/,
    );

    const relation = {
      rid,
      target: 'Crane gate',
      targetLabel: 'BusinessObject',
      confidence: 0.8,
      evidence: 'It closes.',
    };
    await call('create_fulfillment_relationship', { ...relation, type: 'NOT_FULFILLED_BY' });
    expect(await call('count_graph_statistics', {})).toContain(
      'Requirements: 0 fulfilled, 1 not fulfilled, 0 undecided',
    );
    expect(await call('create_fulfillment_relationship', relation)).toContain('NOT_FULFILLED_BY was removed');
    expect(await call('count_graph_statistics', {})).toContain(
      'Requirements: 1 fulfilled, 0 not fulfilled, 0 undecided',
    );
    await expect(call('create_fulfillment_relationship', { ...relation, target: 'Nothing' })).rejects.toMatchObject({
      code: 'no_such_node',
    });
    const related = await call('get_entity_relationships', { label: 'BusinessObject', key: 'Crane gate' });
    expect(related).toMatch(/^2 rows:/);
    expect(related).toContain('"direction":"in","type":"FULFILLED_BY","labels":["Requirement"]');
    expect(await call('validate_schema_compliance', {})).toBe('The graph complies with its metamodel.');
  });

  it('has one effect if a creation is repeated after another call changed the graph', async () => {
    const callId = randomUUID();
    const text = 'Each pass must be checked.';
    const first = await call('create_requirement_node', { text }, { callId });
    await call('execute_cypher_update', {
      query: 'MATCH (r:Requirement) WHERE r.text = $text DETACH DELETE r',
      parameters: { text },
    });
    expect(await call('create_requirement_node', { text }, { callId })).toBe(first);
    expect(
      await call('execute_cypher_query', {
        query: 'MATCH (r:Requirement) WHERE r.text = $text RETURN r',
        parameters: { text },
      }),
    ).toBe('No rows.');
  });

  it('reports violations of the metamodel', async () => {
    const at = { jobId: job('broken') };
    await call(
      'execute_cypher_update',
      {
        query: `CREATE (a:Requirement {rid: 'R1', text: 'x'}), (b:Requirement {rid: 'R1', text: 'y'}), (:Requirement {text: 'z'}), (u:Unicorn {name: 'u'}),
                     (a)-[:EATS]->(u)`,
      },
      at,
    );
    const report = await call('validate_schema_compliance', {}, at);
    expect(report.split('\n')).toEqual([
      '4 problems:',
      '- unknown label Unicorn (1 nodes)',
      '- relationship not allowed: (:Requirement)-[:EATS]->(:Unicorn) (1)',
      '- 1 Requirement nodes have no rid',
      '- 2 Requirement nodes share the rid "R1"',
    ]);
    expect(await call('get_database_schema', {}, at)).toContain('- (:Unicorn) 1 nodes; properties: name');
  });

  it('never shows a tenant the graph of another', async () => {
    const at = { jobId: job('stranger') };
    expect(await call('execute_cypher_query', { query: 'MATCH (n) RETURN n' }, at)).toBe('No rows.');
    expect(await call('find_similar_requirements', { text: 'The gate must be closed at night.' }, at)).toBe(
      'No similar requirements.',
    );
  });

  it('refuses writes in the read tool, and reports omitted rows', async () => {
    await expect(call('execute_cypher_query', { query: "CREATE (:X {name: 'y'})" })).rejects.toMatchObject({
      code: 'cypher_read_only',
    });
    const many = await call('execute_cypher_query', { query: 'UNWIND range(1, 30) AS x RETURN x', limit: 7 });
    expect(many).toMatch(/^7 rows:\n\{"x":1\}\n[^]*\[… 23 more rows omitted/);
    const long = await call('execute_cypher_query', {
      query: 'UNWIND range(1, 300) AS x RETURN $text AS text',
      parameters: { text: 'a'.repeat(5_000) },
      limit: 1_000,
    });
    expect(long.length).toBeLessThan(60_000);
    expect(long).toMatch(/rows omitted[^]*long texts were truncated/);
  });
});
