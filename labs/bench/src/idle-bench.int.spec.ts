import { setTimeout as sleep } from 'node:timers/promises';
import { ControlListener, ProcessRegistry } from '@phaseline/cluster';
import { createPool, EventStore, Subscription } from '@phaseline/event-store';
import { createExperiencesProjection, createReadModelsProjection } from '@phaseline/projections';
import { createQueues } from '@phaseline/queue';
import { createTestDatabase } from '@phaseline/testing';
import { expect, it, onTestFinished } from 'vitest';
import { countCommits } from './count-commits.js';

/** Subscriptions poll for three seconds after an event, and a connection at rest reports its last commits ten seconds late. */
const UNTIL_REST_MS = 15_000;
const COUNT_MS = 6_000;

it('a process that follows the log, writes heartbeats and takes messages hardly uses the database seconds after the last event', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const pool = createPool(database.serviceUrl, { applicationName: 'idle-spec' });
  onTestFinished(() => pool.end());
  const listener = new ControlListener(database.serviceUrl);
  await listener.start();
  onTestFinished(() => listener.close());
  const ignore = async (): Promise<void> => {};
  const readers = [
    createReadModelsProjection(pool, { listener }),
    createExperiencesProjection(pool, { listener }),
    new Subscription(pool, { name: 'orchestrator', listener, handle: ignore }),
    new Subscription(pool, { name: 'mirror', listener, handle: ignore }),
  ];
  for (const reader of readers) {
    await reader.start();
    onTestFinished(() => reader.close());
  }
  const processes = new ProcessRegistry(pool);
  await processes.heartbeat('idle-1', 'idle');
  onTestFinished(() => processes.close());
  const queues = await createQueues(
    { backend: 'postgres', connectionString: database.serviceUrl },
    { onDeadLetter: ignore, onError: () => {} },
  );
  onTestFinished(() => queues.close(2_000).then(() => undefined));
  await queues.work('tactical', async () => {});
  const event = { eventId: crypto.randomUUID(), type: 'Noted', schemaVersion: 1, data: {}, metadata: {} };
  await new EventStore(pool).append({
    streamId: 'note-1',
    correlationId: 'note-1',
    expectedVersion: 0,
    events: [event],
  });

  await sleep(UNTIL_REST_MS);
  const probe = createPool(database.serviceUrl, { max: 1, applicationName: 'idle-probe' });
  onTestFinished(() => probe.end());
  const before = await countCommits(probe);
  await sleep(COUNT_MS);
  const perSecond = ((await countCommits(probe)) - before) / (COUNT_MS / 1_000);
  // A heartbeat and a round every three seconds, and a check of the queues every five. A single polling subscription adds four.
  expect(perSecond).toBeGreaterThan(0);
  expect(perSecond).toBeLessThan(3);
});
