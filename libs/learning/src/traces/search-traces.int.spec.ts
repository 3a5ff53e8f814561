import { countTokens } from '@phaseline/context';
import { createPool } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateLabelledLessons } from './labelled-traces.fixture.js';
import type { LearningTrace, Lesson } from './learning-trace.js';
import { LearningTraces } from './learning-traces.js';
import { MAX_METADATA_TOKENS, renderFull, renderMetadata, renderSummary } from './render-traces.js';
import { storeLessons } from './stored-lessons.fixture.js';

const TRACES = 1_000;
const { labelled, others } = generateLabelledLessons(TRACES, 7);
const lessons: readonly Lesson[] = [...labelled.map(({ lesson }) => lesson), ...others];

let database: TestDatabase;
let pool: pg.Pool;
let traces: LearningTraces;
let stored: Awaited<ReturnType<typeof storeLessons>>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
  traces = new LearningTraces(pool);
  stored = await storeLessons(pool, lessons);
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
    const found = await traces.search(stored.reader, {}, { text: question, limit: 5 });
    if (!found.some(({ id }) => id === stored.ids[index])) missed.push(question);
  }
  expect(labelled).toHaveLength(50);
  expect(missed.length).toBeLessThanOrEqual(5);
});

it('a list, five summaries and one whole learning trace need at least 85 % fewer tokens than all learning traces, each of at least 300', async () => {
  const sizes = lessons.map((lesson) => countTokens(toText(lesson)));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(300);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  for (const { question } of labelled.slice(0, 10)) {
    const found = await traces.search(stored.reader, {}, { text: question, limit: 20 });
    const list = renderMetadata(found);
    expect(countTokens(list)).toBeLessThanOrEqual(MAX_METADATA_TOKENS);
    expect(list.split('\n').length).toBeGreaterThanOrEqual(5);
    const read = [list, ...found.slice(0, 5).map(renderSummary), renderFull(found[0]!)];
    const tokens = read.reduce((sum, text) => sum + countTokens(text), 0);
    expect(tokens).toBeLessThanOrEqual(all * 0.15);
  }
});
