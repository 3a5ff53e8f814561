import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase, createTestPool } from '@phaseline/testing';
import { StagedWorkspace } from '@phaseline/workspace';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RemoteTool } from '@phaseline/tools';
import { createCachePack } from './cache-pack.js';
import { parseNote } from './parse-note.js';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createTestPool({ connectionString: database.serviceUrl, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function call(jobId: string, name: string, args: object) {
  const tools = createCachePack({ database: pool, getTenant: async () => 'acme' }).tools;
  const tool = tools.find((candidate) => candidate.name === name) as RemoteTool;
  const workspace = new StagedWorkspace({}, { get: async () => undefined });
  const context = { jobId, callId: randomUUID(), attempt: 1, signal: new AbortController().signal, workspace };
  return tool.run(context, tool.input.parse(args));
}

interface Claim {
  readonly entry: number;
  readonly token: number;
  readonly id: string;
}

it('reports the outcome of each claim of the job, including those it still holds, and of no other job', async () => {
  const [creator, validator, other] = [randomUUID(), randomUUID(), randomUUID()];
  const requirements = Array.from({ length: 7 }, (_, i) => ({
    id: `REQ-${i}`,
    text: `The gate number ${i} must be closed.`,
    modality: 'obligation',
    citation: { document: 'd.md', quote: `number ${i}` },
    confidence: 0.9,
  }));
  await call(creator, 'write_requirement_to_cache', { requirements });
  const claims = async (jobId: string, limit: number): Promise<Claim[]> =>
    (await call(jobId, 'claim_requirements_from_cache', { limit })).content
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line) as Claim);
  const mine = await claims(validator, 6);
  const [theirs] = await claims(other, 1);
  const { entry, token } = theirs!;
  await call(other, 'mark_cached_requirement', { entry, token, outcome: 'done', note: 'integrated as THEIRS' });
  const mark = (i: number, outcome: string, note?: string) =>
    call(validator, 'mark_cached_requirement', {
      ...{ entry: mine[i]!.entry, token: mine[i]!.token, outcome },
      ...(note ? { note } : {}),
    });
  await mark(0, 'done', 'integrated as NODE-0; fulfilled by Gate (0.8)');
  await mark(1, 'done', 'integrated as REQ-1; not fulfilled by Gate (0.2)');
  await mark(2, 'done', 'integrated as REQ-2; undecided');
  await mark(3, 'done', 'duplicate of NODE-0');
  await mark(4, 'failed', 'the graph was away');

  const { content, files } = await call(validator, 'write_claim_report', {});
  expect(content).toContain('Wrote 6 claims to output/validation.json.');
  const [{ path, content: bytes }] = files as [{ path: string; content: Uint8Array }];
  expect(path).toBe('output/validation.json');
  const report = JSON.parse(Buffer.from(bytes).toString()) as { figures: object; requirements: object[] };
  expect(report.figures).toEqual({
    claims: 6,
    integrated: 3,
    duplicates: 1,
    rejected: 0,
    unresolved: 0,
    failed: 1,
    released: 0,
    'lease expired': 0,
    'still held': 1,
    fulfilled: 1,
    'not fulfilled': 1,
    undecided: 1,
  });
  expect(report.requirements).toMatchObject([
    { id: mine[0]!.id, resolution: 'integrated', rid: 'NODE-0', fulfillment: 'fulfilled', by: 'Gate' },
    { id: mine[1]!.id, resolution: 'integrated', fulfillment: 'not fulfilled', by: 'Gate' },
    { id: mine[2]!.id, resolution: 'integrated', fulfillment: 'undecided' },
    { id: mine[3]!.id, resolution: 'duplicate', rid: 'NODE-0', outcome: 'done' },
    { id: mine[4]!.id, outcome: 'failed', note: 'the graph was away' },
    { id: mine[5]!.id, outcome: 'held' },
  ]);
});

it.each([
  [
    'Integrated as REQ-1; Fulfilled by Order line (it says so)',
    { resolution: 'integrated', rid: 'REQ-1', fulfillment: 'fulfilled', by: 'Order line' },
  ],
  ['integrated as REQ-1', { resolution: 'integrated', rid: 'REQ-1' }],
  ['rejected: demands nothing', { resolution: 'rejected' }],
  ['it was integrated as REQ-1', {}],
  ['integratedly', {}],
])('parses the note %j', (note, parsed) => {
  expect(parseNote(note)).toEqual(parsed);
});
