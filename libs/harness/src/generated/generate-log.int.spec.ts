import { decodeJobEvent, decodePhaseEvent } from '@phaseline/domain';
import { createPool, EventStore, verifyChain, type RecordedEvent } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateLog } from './generate-log.js';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 4 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('generates jobs whose events the domain can read, with a valid hash chain', async () => {
  const store = new EventStore(pool);
  const generated = await generateLog({ store, events: 3_000, jobsAtOnce: 8, seed: 7 });
  expect(generated.events).toBeGreaterThanOrEqual(3_000);
  expect(await verifyChain(pool)).toMatchObject({ problemCount: 0, events: generated.events });
  const { rows } = await pool.query<{ id: string }>('SELECT DISTINCT correlation_id AS id FROM phaseline.events');
  const events: RecordedEvent[] = (await Promise.all(rows.map(({ id }) => store.readCorrelation(id)))).flat();
  for (const event of events) (event.streamId.startsWith('job-') ? decodeJobEvent : decodePhaseEvent)(event);
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(12);
});
