import { randomUUID } from 'node:crypto';
import type { EventId, JobId } from '@phaseline/contracts';
import { HttpEmbedder } from '@phaseline/embeddings';
import { createPool } from '@phaseline/event-store';
import { fillEmbeddings, LearningTraces, Similarity } from '@phaseline/learning';
import { REHEARSAL_MODEL, startRehearsalServer, type RehearsalServer } from '@phaseline/rehearsal';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

const KEY = 'the-key-of-the-server';
const open = new AbortController().signal;
const jobId = randomUUID() as JobId;
const reader = { jobId, tenant: 'red', project: 'shop' };

let database: TestDatabase;
let pool: pg.Pool;
/** Services may remove no learning trace. */
let owner: pg.Pool;
let running: RehearsalServer;
let embedder: HttpEmbedder;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
  owner = createPool(database.ownerUrl);
  running = await startRehearsalServer({ policies: [], apiKey: KEY });
  embedder = new HttpEmbedder({ url: running.baseUrl, model: REHEARSAL_MODEL, apiKey: KEY });
});
afterEach(async () => void (await owner.query('TRUNCATE phaseline.learning_traces CASCADE')));
afterAll(async () => {
  await running.close();
  await pool.end();
  await owner.end();
  await database.drop();
});

interface Stored {
  readonly job?: JobId;
  readonly tenant?: string;
  readonly project?: string;
  readonly scope?: 'job' | 'project' | 'universal';
}

async function store(happened: string, { job = jobId, tenant = 'red', project = 'shop', scope = 'job' }: Stored = {}) {
  const id = randomUUID() as EventId;
  await owner.query(
    `INSERT INTO phaseline.learning_traces (id, position, tenant, project, scope, job_id, recorded_at, type, source, action, reason, agent, happened)
     SELECT $1, count(*), $2, $3, $4, $5, '2030-01-01Z', 'violation', 'enforcement_hook', 'note', 'other', 'coder', $6 FROM phaseline.learning_traces`,
    [id, tenant, project, scope, job, happened],
  );
  return id;
}

async function fillAll(): Promise<number> {
  for (let total = 0; ;) {
    const filled = await fillEmbeddings(pool, embedder, open);
    if (filled === 0) return total;
    total += filled;
  }
}

const problems: unknown[] = [];
const searchWith = (similarity: Similarity | undefined, text: string, filter = {}) =>
  new LearningTraces(pool, similarity).search(reader, filter, { text, limit: 5 });
const similarity = (timeoutMs?: number, asked = embedder) =>
  new Similarity(pool, asked, (error) => void problems.push(error), timeoutMs);
const idsOf = (traces: readonly { readonly id: EventId }[]) => traces.map(({ id }) => id);

it('fills each learning trace once, in batches, and their embeddings are removed with them', async () => {
  for (let index = 0; index < 70; index += 1) await store(`The attempt ${index} failed`);
  expect(await fillAll()).toBe(70);
  expect(await fillAll()).toBe(0);
  const count = async () =>
    (await pool.query<{ count: number }>('SELECT count(*)::integer AS count FROM phaseline.learning_embeddings'))
      .rows[0]!.count;
  expect(await count()).toBe(70);
  await owner.query('DELETE FROM phaseline.learning_traces WHERE position < 10');
  expect(await count()).toBe(60);
});

it('finds by similarity what shares no word with the question, and by words what has no embedding yet', async () => {
  const similar = await store('The analysis was missing');
  await store('A port was taken');
  await fillAll();
  const unfilled = await store('Something analytical');
  expect(idsOf(await searchWith(undefined, 'analytical'))).toEqual([unfilled]);
  expect(new Set(idsOf(await searchWith(similarity(), 'analytical')))).toEqual(new Set([unfilled, similar]));
});

it('returns by similarity only what the reader may see', async () => {
  const other = randomUUID() as JobId;
  const own = await store('The analysis was missing');
  await store('The analysis was missing', { job: other });
  await store('The analysis was missing', { job: other, tenant: 'blue', scope: 'universal' });
  await store('The analysis was missing', { job: other, project: 'bank', scope: 'project' });
  const promoted = await store('The analysis was missing', { job: other, scope: 'project' });
  await fillAll();
  expect(new Set(idsOf(await searchWith(similarity(), 'analytical')))).toEqual(new Set([own, promoted]));
  expect(idsOf(await searchWith(similarity(), 'analytical', { isPromoted: true }))).toEqual([promoted]);
});

it('answers by words alone if the server is late, refuses or is gone, and says so without the texts', async () => {
  const id = await store('A secret plan failed');
  await fillAll();
  const slow = await startRehearsalServer({ policies: [], latencyMs: 60_000 });
  const settings = { url: slow.baseUrl, model: REHEARSAL_MODEL };
  problems.length = 0;
  const late = similarity(50, new HttpEmbedder(settings));
  expect(idsOf(await searchWith(late, 'secret plan'))).toEqual([id]);
  // The next search does not ask the server.
  expect(idsOf(await searchWith(late, 'secret plan'))).toEqual([id]);
  await slow.close();
  expect(idsOf(await searchWith(similarity(5_000, new HttpEmbedder(settings)), 'secret plan'))).toEqual([id]);
  const stranger = new HttpEmbedder({ url: running.baseUrl, model: REHEARSAL_MODEL, apiKey: 'wrong-key' });
  expect(idsOf(await searchWith(similarity(5_000, stranger), 'secret plan'))).toEqual([id]);
  expect(problems).toHaveLength(3);
  expect(String(problems[2])).toContain('status 401');
  for (const problem of problems) expect(String(problem)).not.toMatch(/secret|wrong-key/);
  await store('Another secret');
  await expect(fillEmbeddings(pool, stranger, open)).rejects.toThrow('status 401');
});

it('the rehearsal server answers as the protocol says', async () => {
  const post = async (body: object) => {
    const response = await fetch(`${running.baseUrl}/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const { body } = await post({ model: REHEARSAL_MODEL, input: ['one text', 'two texts'] });
  expect(body).toMatchObject({ object: 'list', model: REHEARSAL_MODEL, usage: { total_tokens: expect.any(Number) } });
  const data = body['data'] as { object: string; index: number; embedding: number[] }[];
  expect(data.map(({ object, index }) => [object, index])).toEqual([
    ['embedding', 0],
    ['embedding', 1],
  ]);
  expect(Math.hypot(...data[0]!.embedding)).toBeCloseTo(1);
  const single = await post({ model: REHEARSAL_MODEL, input: 'one text', encoding_format: 'base64' });
  const [encoded] = single.body['data'] as { embedding: string }[];
  const bytes = Buffer.from(encoded!.embedding, 'base64');
  expect(bytes.readFloatLE(0)).toBeCloseTo(data[0]!.embedding[0]!);
  expect(bytes.length).toBe(data[0]!.embedding.length * 4);
  for (const wrong of [{ model: REHEARSAL_MODEL, input: [] }, { model: REHEARSAL_MODEL, input: '' }, { input: 'a' }])
    expect(await post(wrong)).toMatchObject({ status: 400, body: { error: { message: expect.any(String) } } });
  expect((await post({ model: 'other', input: 'a' })).status).toBe(404);
});
