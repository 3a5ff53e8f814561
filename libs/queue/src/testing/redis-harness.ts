import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@phaseline/local-stack';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { DEFAULT_PREFIX } from '../backends/redis-backend.js';
import type { Harness, QueueFixture, StoppableQueueFixture } from './harness.js';

async function connectForeignProducer(url: string, prefix: string): ReturnType<QueueFixture['connectForeignProducer']> {
  const connection = new Redis(url);
  const queue = new Queue('jobs', { connection: connection as never, prefix });
  await queue.waitUntilReady();
  return {
    queue,
    close: async () => {
      await queue.close();
      connection.disconnect();
    },
  };
}

/** Starts a Redis server that keeps its data when it is stopped. */
async function startServer(port: number, directory: string, ...extraOptions: string[]): Promise<ChildProcess> {
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    directory,
    '--save',
    '',
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
  ];
  const server = spawn('redis-server', [...options, ...extraOptions], { stdio: 'ignore' });
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  client.on('error', () => {});
  await client.ping();
  client.disconnect();
  return server;
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await ended;
}

/** Starts a cluster of one node. Like a larger cluster, it rejects commands on keys of different slots. */
export async function startCluster(): Promise<{ url: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'phaseline-queue-'));
  const port = await findFreePort();
  const server = await startServer(
    port,
    directory,
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    String(await findFreePort()),
    '--cluster-announce-ip',
    '127.0.0.1',
  );
  const client = new Redis(port, '127.0.0.1');
  await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  while (!String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'))
    await new Promise((resolve) => setTimeout(resolve, 50));
  client.disconnect();
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      await stopServer(server);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * @param url a server that may be shared: each place uses a unique prefix
 * @param canStart whether a `redis-server` can be started
 */
export function redisHarness(url: string, canStart: boolean): Harness {
  return {
    async createFixture(): Promise<QueueFixture> {
      const prefix = `{test-${randomUUID()}}`;
      const clear = async (): Promise<void> => {
        const client = new Redis(url);
        const keys = await client.keys(`${prefix}*`);
        if (keys.length > 0) await client.del(keys);
        client.disconnect();
      };
      return {
        config: { backend: 'redis', url, prefix },
        connectForeignProducer: () => connectForeignProducer(url, prefix),
        expireLock: async (queue, messageId, agoMs) => {
          const client = new Redis(url);
          const key = `${prefix}:${queue}:${messageId}`;
          const [seconds] = await client.time();
          await client.del(`${key}:lock`);
          await client.set(`${key}:unlocked`, Number(seconds) * 1_000 - agoMs);
          client.disconnect();
        },
        clear,
        dispose: clear,
      };
    },
    createStoppableFixture: canStart ? createStoppableFixture : undefined,
  };
}

async function createStoppableFixture(): Promise<StoppableQueueFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'phaseline-queue-'));
  const port = await findFreePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await startServer(port, directory);
  return {
    config: { backend: 'redis', url },
    connectForeignProducer: () => connectForeignProducer(url, DEFAULT_PREFIX),
    stop: () => stopServer(server),
    start: async () => {
      server = await startServer(port, directory);
    },
    dispose: async () => {
      await stopServer(server);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
