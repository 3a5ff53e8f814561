import { HttpEmbedder } from '@phaseline/embeddings';
import { createPool } from '@phaseline/event-store';
import { REHEARSAL_MODEL, startRehearsalServer } from '@phaseline/rehearsal';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateLabelledLessons } from '../traces/labelled-traces.fixture.js';
import { LearningTraces } from '../traces/learning-traces.js';
import { storeLessons } from '../traces/stored-lessons.fixture.js';
import { fillEmbeddings } from './fill-embeddings.js';
import { Similarity } from './similarity.js';

const { labelled, others } = generateLabelledLessons(1_000, 7);

let database: TestDatabase;
let pool: pg.Pool;
let stored: Awaited<ReturnType<typeof storeLessons>>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
  stored = await storeLessons(pool, [...labelled.map(({ lesson }) => lesson), ...others]);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Stores the embeddings of all learning traces, and counts the questions whose learning trace is not among the first five. */
async function countMissed(embedder: HttpEmbedder): Promise<{ readonly bySimilarity: number; readonly fused: number }> {
  while ((await fillEmbeddings(pool, embedder, new AbortController().signal)) > 0);
  const similarity = new Similarity(pool, embedder, (error) => expect.fail(String(error)), 60_000);
  const both = new LearningTraces(pool, similarity);
  const missed = { bySimilarity: 0, fused: 0 };
  for (const [index, { question: text }] of labelled.entries()) {
    const search = { text, limit: 5 };
    if (!(await similarity.search(stored.reader, {}, search)).includes(stored.ids[index]!)) missed.bySimilarity += 1;
    if (!(await both.search(stored.reader, {}, search)).some(({ id }) => id === stored.ids[index])) missed.fused += 1;
  }
  return missed;
}

it('of 1,000 learning traces the one that a question is about is among the first five for at least 90 % of the questions, also with vectors that find little', async () => {
  const rehearsal = await startRehearsalServer({ policies: [] });
  try {
    const missed = await countMissed(new HttpEmbedder({ url: rehearsal.baseUrl, model: REHEARSAL_MODEL }));
    // Otherwise this would not show that weak vectors do no harm.
    expect(missed.bySimilarity, JSON.stringify(missed)).toBeGreaterThan(5);
    expect(missed.fused, JSON.stringify(missed)).toBeLessThanOrEqual(5);
  } finally {
    await rehearsal.close();
  }
});

const {
  PHASELINE_EMBEDDINGS_URL: url,
  PHASELINE_EMBEDDINGS_MODEL: model = 'text-embedding-3-small',
  PHASELINE_EMBEDDINGS_API_KEY: apiKey,
  PHASELINE_EMBEDDINGS_DIMENSIONS: dimensions,
} = process.env;

it.skipIf(url === undefined)(
  'the same with the embeddings of the server at PHASELINE_EMBEDDINGS_URL, by similarity alone and fused with words',
  { timeout: 600_000 },
  async () => {
    const settings = {
      url: url!,
      model,
      apiKey,
      dimensions: dimensions === undefined ? undefined : Number(dimensions),
    };
    const missed = await countMissed(new HttpEmbedder(settings));
    expect(missed.bySimilarity, JSON.stringify(missed)).toBeLessThanOrEqual(5);
    expect(missed.fused, JSON.stringify(missed)).toBeLessThanOrEqual(5);
  },
);
