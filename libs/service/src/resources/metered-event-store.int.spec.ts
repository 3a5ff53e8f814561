import { randomUUID } from 'node:crypto';
import { createPool } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Metrics } from '../metrics/metrics.js';
import { MeteredEventStore } from './metered-event-store.js';

let database: TestDatabase;
let pool: Pool;
let metrics: Metrics;
let store: MeteredEventStore;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl);
});
beforeEach(() => {
  metrics = new Metrics('spec');
  store = new MeteredEventStore(pool, metrics);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const createEvent = () => ({ eventId: randomUUID(), type: 'Happened', schemaVersion: 1, data: {}, metadata: {} });
const readMetric = async (line: RegExp) => Number(line.exec(await metrics.render())?.[1]);

describe('MeteredEventStore', () => {
  it('counts the events of all streams of an append, but not those that were already appended', async () => {
    const appends = ['a', 'b'].map((name) => ({
      streamId: `counted-${name}`,
      correlationId: 'counted',
      expectedVersion: 0,
      events: [createEvent(), createEvent()],
    }));
    await store.append(appends);
    await store.append(appends);
    expect(await readMetric(/phaseline_events_appended_total\{.*\} (\d+)/)).toBe(4);
    expect(await readMetric(/phaseline_append_seconds_count\{.*outcome="appended".*\} (\d+)/)).toBe(2);
  });

  it('counts what the events mean once, although the append is repeated', async () => {
    const append = {
      streamId: 'submitted',
      correlationId: 'submitted',
      expectedVersion: 0,
      events: [{ ...createEvent(), type: 'JobSubmitted' }],
    };
    await store.append(append);
    await store.append(append);
    await expect(store.append({ ...append, events: [{ ...createEvent(), type: 'JobSubmitted' }] })).rejects.toThrow();
    expect(await readMetric(/phaseline_jobs_submitted_total\{.*\} (\d+)/)).toBe(1);
  });

  it('distinguishes refused appends, which are normal, from failed ones', async () => {
    const append = { streamId: 'refused', correlationId: 'refused', expectedVersion: 7, events: [createEvent()] };
    await expect(store.append(append)).rejects.toMatchObject({ code: 'wrong_expected_version' });
    await expect(store.append({ ...append, events: [] })).rejects.toMatchObject({ code: 'invalid_append' });
    expect(await readMetric(/phaseline_append_seconds_count\{.*outcome="refused".*\} (\d+)/)).toBe(1);
    expect(await readMetric(/phaseline_append_seconds_count\{.*outcome="failed".*\} (\d+)/)).toBe(1);
    expect(await readMetric(/phaseline_events_appended_total\{.*\} (\d+)/)).toBe(0);
  });
});
