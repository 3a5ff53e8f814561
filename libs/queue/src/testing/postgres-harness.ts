import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@phaseline/local-stack';
import { createTestDatabase, createTestPool } from '@phaseline/testing';
import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import { migrateQueues } from '../migrate-queues.js';
import type { Harness, QueueFixture, StoppableQueueFixture } from './harness.js';

async function connectForeignProducer(connectionString: string): ReturnType<QueueFixture['connectForeignProducer']> {
  const pool = createTestPool({ connectionString, options: '-c search_path=bullmq', max: 2 });
  const { Queue } = withBackend(createPostgresBackend);
  // The types of pg allow an undefined payload of a notification, those of BullMQ do not.
  const queue = new Queue('jobs', { connection: pool as never });
  await queue.waitUntilReady();
  return {
    queue: queue as never,
    close: async () => {
      await queue.close();
      await pool.end();
    },
  };
}

async function asOwner(connectionString: string, text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text, values);
  await client.end();
}

async function place(): Promise<QueueFixture & { ownerUrl: string; serviceUrl: string }> {
  const { ownerUrl, serviceUrl, drop } = await createTestDatabase();
  await migrateQueues(ownerUrl);
  return {
    ownerUrl,
    serviceUrl,
    config: { backend: 'postgres', connectionString: serviceUrl },
    connectForeignProducer: () => connectForeignProducer(serviceUrl),
    expireLock: (queue, messageId, agoMs) =>
      asOwner(
        ownerUrl,
        'UPDATE bullmq.job SET locked_until_ms = extract(epoch FROM clock_timestamp()) * 1000 - $3::int WHERE queue = $1 AND id = $2',
        [queue, messageId, agoMs],
      ),
    clear: () => asOwner(ownerUrl, 'TRUNCATE bullmq.job, bullmq.event, bullmq.meta CASCADE'),
    dispose: drop,
  };
}

async function createStoppableFixture(): Promise<StoppableQueueFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'phaseline-queue-'));
  const start = (): ReturnType<typeof startPostgres> =>
    startPostgres({ dataDir: join(directory, 'data'), durable: false });
  let server = await start();
  await migrateQueues(server.ownerUrl);
  const { serviceUrl } = server;
  return {
    config: { backend: 'postgres', connectionString: serviceUrl },
    connectForeignProducer: () => connectForeignProducer(serviceUrl),
    stop: () => server.stop(),
    start: async () => {
      server = await start();
    },
    dispose: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
      await rm(server.dataDirectory, { recursive: true, force: true });
    },
  };
}

export const postgresHarness = { createFixture: place, createStoppableFixture } satisfies Harness;
