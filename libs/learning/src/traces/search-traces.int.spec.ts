import { randomUUID } from 'node:crypto';
import { countTokens } from '@phaseline/context';
import type { EventId, JobId } from '@phaseline/contracts';
import { HttpEmbedder } from '@phaseline/embeddings';
import { createPool } from '@phaseline/event-store';
import { REHEARSAL_MODEL, startRehearsalServer } from '@phaseline/rehearsal';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillEmbeddings } from '../embeddings/fill-embeddings.js';
import { Similarity } from '../embeddings/similarity.js';
import { generateLabelledLessons } from './labelled-traces.fixture.js';
import type { LearningTrace, Lesson } from './learning-trace.js';
import { LearningTraces } from './learning-traces.js';
import { MAX_METADATA_TOKENS, renderFull, renderMetadata, renderSummary } from './render-traces.js';

const TRACES = 1_000;
const { labelled, others } = generateLabelledLessons(TRACES, 7);
const lessons: readonly Lesson[] = [...labelled.map(({ lesson }) => lesson), ...others];
const ids = lessons.map(() => randomUUID() as EventId);
const jobId = randomUUID() as JobId;
const reader = { jobId, tenant: 'default', project: 'shop' };

let database: TestDatabase;
let pool: pg.Pool;
let traces: LearningTraces;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
  traces = new LearningTraces(pool);
  await pool.query(
    `INSERT INTO phaseline.learning_traces (id, position, tenant, project, job_id, recorded_at, type, source, action, reason, agent, task, happened, correct, why)
     SELECT t.id, 1000 - t.n, 'default', 'shop', $1, '2030-01-01Z', 'violation', 'enforcement_hook', 'note', 'other', t.agent, t.task, t.happened, t.correct, t.why
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
       WITH ORDINALITY AS t(id, agent, task, happened, correct, why, n)`,
    [
      jobId,
      ids,
      lessons.map(({ context }) => context.agent),
      lessons.map(({ context }) => context.task),
      lessons.map(({ event }) => event.happened),
      lessons.map(({ event }) => event.correct),
      lessons.map(({ event }) => event.why),
    ],
  );
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The whole of a learning trace, as a prompt without levels would have it. */
const toText = ({ context, event }: Pick<LearningTrace, 'context' | 'event'>): string =>
  [context.agent, context.task, event.happened, event.correct, event.why].join('\n');

it(`of ${TRACES} learning traces the one that a question is about is among the first five, for at least 90 % of the questions`, async () => {
  const missed: string[] = [];
  for (const [index, { question }] of labelled.entries()) {
    const found = await traces.search(reader, {}, { text: question, limit: 5 });
    if (!found.some(({ id }) => id === ids[index])) missed.push(question);
  }
  expect(labelled).toHaveLength(50);
  expect(missed.length).toBeLessThanOrEqual(5);
});

/** Stores the embeddings of all learning traces, and counts the questions whose learning trace is not among the first five. */
async function countMissed(
  embedder: HttpEmbedder,
): Promise<{ readonly byWords: number; readonly bySimilarity: number; readonly fused: number }> {
  while ((await fillEmbeddings(pool, embedder, new AbortController().signal)) > 0);
  const similarity = new Similarity(pool, embedder, (error) => expect.fail(String(error)), 60_000);
  const both = new LearningTraces(pool, similarity);
  const missed = { byWords: 0, bySimilarity: 0, fused: 0 };
  for (const [index, { question: text }] of labelled.entries()) {
    const search = { text, limit: 5 };
    const idsOf = (found: readonly LearningTrace[]) => found.map(({ id }) => id);
    if (!idsOf(await traces.search(reader, {}, search)).includes(ids[index]!)) missed.byWords += 1;
    if (!(await similarity.search(reader, {}, search)).includes(ids[index]!)) missed.bySimilarity += 1;
    if (!idsOf(await both.search(reader, {}, search)).includes(ids[index]!)) missed.fused += 1;
  }
  return missed;
}

it('the same if words are fused with the vectors of the rehearsal server, which find little alone', async () => {
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
  `the same with the embeddings of the server at PHASELINE_EMBEDDINGS_URL, by similarity alone and fused with words`,
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

it('a list, five summaries and one whole learning trace need at least 85 % fewer tokens than all learning traces, each of at least 300', async () => {
  const sizes = lessons.map((lesson) => countTokens(toText(lesson)));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(300);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  for (const { question } of labelled.slice(0, 10)) {
    const found = await traces.search(reader, {}, { text: question, limit: 20 });
    const list = renderMetadata(found);
    expect(countTokens(list)).toBeLessThanOrEqual(MAX_METADATA_TOKENS);
    expect(list.split('\n').length).toBeGreaterThanOrEqual(5);
    const read = [list, ...found.slice(0, 5).map(renderSummary), renderFull(found[0]!)];
    const tokens = read.reduce((sum, text) => sum + countTokens(text), 0);
    expect(tokens).toBeLessThanOrEqual(all * 0.15);
  }
});
