import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase, createTestPool } from '@phaseline/testing';
import type { RemoteTool } from '@phaseline/tools';
import { StagedWorkspace } from '@phaseline/workspace';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedGraph, loadGraph, DEFAULT_METAMODEL, type GraphFile } from '@phaseline/graph';
import type { Assessment } from './assess-fulfillment.js';
import { createEmbeddedGraphHost } from './graph-host.js';
import { createGraphPack } from './graph-pack.js';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createTestPool({ connectionString: database.serviceUrl, max: 4 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const world: GraphFile = {
  nodes: {
    BusinessObject: [
      { name: 'Receipt', aliases: ['Quittung'], description: 'Signed with a key of its own; a copy may be asked for.' },
      { name: 'Retention rule', description: 'How long a record is kept.' },
    ],
    Message: [{ name: 'GateClosed', description: 'Tells the crane within one second that the gate is closed.' }],
  },
  relationships: [
    { from: ['Message', 'GateClosed'], type: 'CARRIES', to: ['BusinessObject', 'Receipt'], properties: {} },
  ],
};
const limits = { maxRows: 100, timeoutMs: 20_000 };
const load = (name: string, file: GraphFile) =>
  loadGraph(new EmbeddedGraph(pool, name), file, {
    call: { jobId: randomUUID(), callId: 'load' },
    limits,
    metamodel: DEFAULT_METAMODEL,
  });

async function call(graph: string, name: string, args: object): Promise<string> {
  const host = createEmbeddedGraphHost({ database: pool, getTenant: async () => graph });
  const tool = createGraphPack(host).tools.find((candidate) => candidate.name === name) as RemoteTool;
  const workspace = new StagedWorkspace({}, { get: async () => undefined });
  const context = {
    jobId: randomUUID(),
    callId: randomUUID(),
    attempt: 1,
    signal: new AbortController().signal,
    workspace,
  };
  return (await tool.run(context, tool.input.parse(args))).content;
}

async function assess(graph: string, ...texts: string[]): Promise<Assessment[]> {
  const requirements = texts.map((text, i) => ({ rid: `R${i}`, text }));
  return (await call(graph, 'assess_fulfillment', { requirements }))
    .split('\n')
    .map((line) => JSON.parse(line) as Assessment);
}

describe('assess_fulfillment', () => {
  it('distinguishes requirements that the graph covers, only mentions, or does not know', async () => {
    await load('world', world);
    expect(
      await assess(
        'world',
        'Receipts MUST be signed with a key.',
        'Eine Quittung muss binnen zehn Minuten per Post zugestellt werden.',
        'The GateClosed message MUST tell the crane within one second.',
        'Visitors MUST wear a helmet.',
        // A word inside another word is not a mention.
        'The gatekeeper MUST be trained.',
      ),
    ).toMatchObject([
      { rid: 'R0', assessment: 'fulfilled', target: 'Receipt', targetLabel: 'BusinessObject' },
      { rid: 'R1', assessment: 'not fulfilled', target: 'Receipt' },
      { rid: 'R2', assessment: 'fulfilled', target: 'GateClosed', targetLabel: 'Message' },
      { rid: 'R3', assessment: 'undecided' },
      { rid: 'R4', assessment: 'undecided' },
    ]);
  });

  it('reports a graph without any possible target', async () => {
    await expect(assess('empty', 'It MUST rain.')).rejects.toMatchObject({ code: 'no_targets' });
  });
});

describe('check_for_duplicates', () => {
  it('finds duplicates in the same batch that are not in the graph yet', async () => {
    const among = [{ rid: 'A', text: 'The gate MUST be closed at night.' }];
    const text = 'The gate must be closed at night';
    expect(await call('world', 'check_for_duplicates', { text, rid: 'B', among })).toContain('- A (the same words)');
    expect(await call('world', 'check_for_duplicates', { text, rid: 'B' })).toBe('No duplicate.');
  });
});

describe('graph file', () => {
  it('has the same effect when it is loaded repeatedly, and affects only its graph', async () => {
    await load('twice', world);
    expect(await load('twice', world)).toEqual({ nodes: 3, relationships: 1 });
    const count = async (graph: string, query: string): Promise<unknown> =>
      (await new EmbeddedGraph(pool, graph).read(query, {}, limits)).rows[0]?.[0];
    expect(await count('twice', 'MATCH (n) RETURN count(n)')).toBe(3);
    expect(await count('twice', 'MATCH ()-[r]->() RETURN count(r)')).toBe(1);
    expect(await count('other', 'MATCH (n) RETURN count(n)')).toBe(0);
  });

  it('is refused completely if it violates the metamodel', async () => {
    const bad: GraphFile = {
      nodes: { Message: [{ name: 'M' }, { title: 'no name' }], Machine: [{ name: 'x' }] },
      relationships: [
        { from: ['Message', 'M'], type: 'EATS', to: ['Message', 'M'], properties: {} },
        { from: ['Message', 'Gone'], type: 'CARRIES', to: ['BusinessObject', 'B'], properties: {} },
      ],
    };
    await expect(load('bad', bad)).rejects.toMatchObject({
      code: 'graph_file_unusable',
      problems: [
        'nodes.Message[1]: name is missing',
        'nodes.Machine: this label is not in the metamodel; known labels: Requirement, BusinessObject, Message',
        'relationships[0]: (:Message)-[:EATS]->(:Message) is not in the metamodel',
        "relationships[1]: the file has no Message 'Gone'",
        "relationships[1]: the file has no BusinessObject 'B'",
      ],
    });
    expect((await new EmbeddedGraph(pool, 'bad').read('MATCH (n) RETURN count(n)', {}, limits)).rows).toEqual([[0]]);
  });
});
