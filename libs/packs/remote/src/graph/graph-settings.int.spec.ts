import { randomUUID } from 'node:crypto';
import { createTestDatabase, createTestPool, type TestDatabase } from '@phaseline/testing';
import { DEFAULT_METAMODEL, EmbeddedGraph, loadGraph } from '@phaseline/graph';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RemoteToolBench } from '../remote-tool-bench.fixture.js';
import { createEmbeddedGraphHost } from './graph-host.js';
import { createGraphPack } from './graph-pack.js';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createTestPool({ connectionString: database.serviceUrl, max: 4 });
  const graph = {
    nodes: {
      BusinessObject: [{ name: 'Receipt', aliases: ['Quittung'] }],
      Requirement: [{ rid: 'R1', text: 'The receipt must be signed with a key.' }],
    },
    relationships: [],
  };
  await loadGraph(new EmbeddedGraph(pool, 'harbour'), graph, {
    call: { jobId: randomUUID(), callId: 'load' },
    limits: { maxRows: 100, timeoutMs: 20_000 },
    metamodel: DEFAULT_METAMODEL,
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function openBench(settings: ConstructorParameters<typeof RemoteToolBench>[1] = {}): RemoteToolBench {
  const host = createEmbeddedGraphHost({ database: pool, getTenant: async () => 'harbour' });
  const bench = new RemoteToolBench(createGraphPack(host), settings);
  bench.jobId = randomUUID();
  return bench;
}

it('an argument cannot raise the threshold of the agent, from which requirements count as duplicates', async () => {
  const text = 'The receipt must be signed with the key.';
  const agent = { graph: { duplicateThreshold: 0.5 } };
  const strict = await openBench(agent).call('check_for_duplicates', { text, threshold: 0.99 });
  expect(strict).toMatch(
    /^1 duplicates:[^]*R1[^]*Used threshold 0\.5 instead of 0\.99: this agent allows at most 0\.5\.$/,
  );
  // Without a setting, the argument counts.
  expect(await openBench().call('check_for_duplicates', { text, threshold: 0.99 })).toBe('No duplicate.');
});

it('the metamodel of the agent replaces that of the installation', async () => {
  const metamodel = {
    labels: { BusinessObject: { required: ['name', 'owner'], key: 'name' } },
    relationships: [],
  };
  const compliance = await openBench({ graph: { metamodel } }).call('validate_schema_compliance');
  expect(compliance).toContain('unknown label Requirement (1 nodes)');
  expect(compliance).toContain('1 BusinessObject nodes have no owner');
  expect(await openBench().call('validate_schema_compliance')).toBe('The graph complies with its metamodel.');
});

it('extract_entity_mentions finds entities of the graph in a requirements file, and unknown names', async () => {
  const bench = openBench();
  const texts = ['Jede Quittung ist zu prüfen.', 'The `crane_id` is logged.', 'Nothing is named here.'];
  const requirements = texts.map((text, i) => ({ id: `REQ-${i}`, text, citation: { document: 'documents/a.md' } }));
  bench.put('output/requirements.json', JSON.stringify({ requirements }));
  const content = await bench.call('extract_entity_mentions', { file: 'output/requirements.json' });
  expect(content).toContain(
    '1 of 3 requirements mention 1 of the 1 entities in the graph\n  - Receipt (BusinessObject): 1',
  );
  expect(content).toContain('Names that the graph does not know: crane_id (1)');
  const { mentions } = JSON.parse(await bench.readText('work/entities.json')) as { mentions: object[] };
  expect(mentions).toEqual([
    {
      rid: 'REQ-0',
      mentions: [{ words: 'Quittung', from: 5, to: 13, label: 'BusinessObject', name: 'Receipt', match: 'alias' }],
      unknown: [],
    },
    { rid: 'REQ-1', mentions: [], unknown: [{ words: 'crane_id', from: 5, to: 13 }] },
  ]);
});

it('extract_entity_mentions answers for single requirements, and refuses unknown labels and files', async () => {
  const bench = openBench();
  const requirements = [{ rid: 'A', text: 'Receipts are kept.' }];
  expect(await bench.call('extract_entity_mentions', { requirements })).toContain('"match":"inflected"');
  expect(await bench.runForError('extract_entity_mentions', { requirements, labels: ['Crane'] })).toBe(
    "unknown_label: The metamodel has no label 'Crane' whose nodes can be mentioned. It has: BusinessObject, Message.",
  );
  expect(await bench.runForError('extract_entity_mentions', { file: 'a.json' })).toMatch(/^file_missing: /);
});
