import { randomUUID } from 'node:crypto';
import { createPool, EventStore } from '@phaseline/event-store';
import { createTestDatabase } from '@phaseline/testing';
import { expect, it } from 'vitest';
import { startOrchestrator } from '../testing/orchestrator-for-specs.js';

/** Each event belongs to a different job, so that each is handled separately. */
const EVENTS = 1_600;
const LIMIT_MS = 3_000;

interface Ready {
  readonly ready?: boolean;
  readonly reasons: readonly string[];
  readonly checks: { readonly control: { readonly progress?: { readonly done: number; readonly total: number } } };
}

it('an orchestrator with a long log to read reports its progress, never that no process reads it, and then is ready', async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.serviceUrl, { max: 8 });
  const store = new EventStore(pool);
  for (let done = 0; done < EVENTS; done += 200) {
    await Promise.all(
      Array.from({ length: 200 }, () => {
        const jobId = randomUUID();
        return store.append({
          streamId: `job-${jobId}`,
          correlationId: jobId,
          expectedVersion: 'any',
          events: [{ eventId: randomUUID(), type: 'JobResumed', schemaVersion: 1, data: {}, metadata: {} }],
        });
      }),
    );
  }
  // All events have now waited longer than allowed.
  await new Promise((resolve) => setTimeout(resolve, LIMIT_MS + 100));
  const orchestrator = await startOrchestrator(
    { PHASELINE_STALL_LIMIT_MS: String(LIMIT_MS), LOG_LEVEL: 'silent', PHASELINE_CONCURRENT_DECISIONS: '1' },
    { beside: { databaseUrls: { owner: database.ownerUrl, service: database.serviceUrl } } as never },
  );
  try {
    const seen: Ready[] = [];
    for (;;) {
      const { status, body } = await orchestrator.json('/ready');
      seen.push(body as unknown as Ready);
      if (status === 200 && seen.length > 1) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const reasons = seen.flatMap(({ reasons: some }) => some ?? []);
    expect(reasons.filter((reason) => reason.includes('no process handles them'))).toEqual([]);
    const places = seen.flatMap(({ checks }) => (checks.control.progress ? [checks.control.progress] : []));
    expect(places.length).toBeGreaterThan(1);
    expect(places.every(({ total }) => total > EVENTS * 0.8)).toBe(true);
    expect(places.map(({ done }) => done)).toEqual(places.map(({ done }) => done).toSorted((a, b) => a - b));
    expect(reasons.find((reason) => reason.includes('catching up'))).toMatch(
      /^control: catching up, [\d,]+ of [\d,]+ events$/,
    );
  } finally {
    await orchestrator.stop();
    await store.close();
    await pool.end();
    await database.drop();
  }
});
