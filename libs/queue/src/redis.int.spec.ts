import { randomUUID } from 'node:crypto';
import { findRedisServer } from '@phaseline/local-stack';
import { getTestRedisUrl } from '@phaseline/testing';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createQueues } from './create-queues.js';
import type { DeadLetter } from './dead-letter.js';
import { TransactionsUnsupported } from './queue-errors.js';
import type { Queues } from './queues.js';
import { WAIT_OPTIONS, queueContract } from './testing/queue-contract.js';
import { redisHarness, startCluster } from './testing/redis-harness.js';

const url = getTestRedisUrl() ?? '';
const canStart = (await findRedisServer()) !== undefined;

describe.skipIf(url === '')('queues on Redis (needs REDIS_URL, or redis-server on the PATH)', () => {
  queueContract(redisHarness(url, canStart));

  describe('beyond the contract', () => {
    const prefix = `{test-${randomUUID()}}`;
    let queues: Queues;
    let deadLetters: DeadLetter[];
    let redis: Redis;

    beforeEach(async () => {
      deadLetters = [];
      redis = new Redis(url);
      queues = await createQueues(
        { backend: 'redis', url, prefix },
        { onDeadLetter: async (deadLetter) => void deadLetters.push(deadLetter), onError: () => {} },
      );
    });

    afterEach(async () => {
      await queues.close(3_000);
      const keys = await redis.keys(`${prefix}*`);
      if (keys.length > 0) await redis.del(keys);
      redis.disconnect();
    });

    it('makes a payload that is not JSON, such as NaN from Python, a dead letter with its raw text', async () => {
      const handled: unknown[] = [];
      // What BullMQ for Python stores: the hash of the job, its entry in the list, and the marker that wakes a worker.
      const key = (type: string): string => `${prefix}:jobs:${type}`;
      await redis.hset(key('from-python'), {
        name: 'submit',
        data: '{"agent": NaN}',
        opts: '{}',
        timestamp: Date.now(),
        priority: 0,
        delay: 0,
        atm: 0,
        ats: 0,
      });
      await redis.lpush(key('wait'), 'from-python');
      await redis.zadd(key('marker'), 0, '0');
      await queues.work('jobs', async (job) => void handled.push(job));
      await queues.send('jobs', { agent: 'creator' });
      await vi.waitFor(() => expect([deadLetters.length, handled.length]).toEqual([1, 1]), WAIT_OPTIONS);
      expect(deadLetters[0]).toMatchObject({
        messageId: 'from-python',
        kind: 'unparsable',
        reason: 'the payload is not JSON',
        payload: '{"agent": NaN}',
      });
      await vi.waitFor(async () => expect(await redis.exists(key('from-python'))).toBe(0), WAIT_OPTIONS);
    });

    it.skipIf(!url.includes('@'))('reports a wrong password immediately instead of retrying', async () => {
      const wrong = new URL(url);
      wrong.password = 'wrong';
      const starting = createQueues(
        { backend: 'redis', url: wrong.href },
        { onDeadLetter: async () => {}, onError: () => {} },
      );
      await expect(starting).rejects.toMatchObject({
        code: 'queue_unavailable',
        message: expect.stringMatching(/WRONGPASS|NOAUTH/),
      });
    });

    it('reports that it does not support transactions', async () => {
      expect(queues.isTransactional).toBe(false);
      await expect(queues.sendIn({ query: () => Promise.reject(new Error('never called')) }, [])).rejects.toThrow(
        TransactionsUnsupported,
      );
    });

    it('starts all keys of a queue with the prefix, whose braces keep them on one node of a cluster', async () => {
      await queues.send('jobs', { agent: 'creator' });
      const keys = (await redis.keys('*jobs:*')).filter((key) => key.includes(prefix));
      expect(keys.length).toBeGreaterThan(2);
      expect(keys.every((key) => key.startsWith(`${prefix}:jobs:`))).toBe(true);
    });
  });

  it.skipIf(!canStart)('works on a Redis Cluster (needs a redis-server to start)', async () => {
    const cluster = await startCluster();
    const queues = await createQueues(
      { backend: 'redis', url: cluster.url, cluster: true },
      { onDeadLetter: async () => {}, onError: () => {} },
    );
    const phases: number[] = [];
    await queues.sendMany(
      [1, 2, 3].map((phase) => ({ queue: 'tactical', payload: { jobId: randomUUID(), phase, version: 1, epoch: 0 } })),
    );
    await queues.send(
      'tactical',
      { jobId: randomUUID(), phase: 4, version: 1, epoch: 0 },
      { priority: 1, delayMs: 10 },
    );
    await queues.work('tactical', async ({ phase }) => void phases.push(phase));
    await vi.waitFor(() => expect(phases.toSorted()).toEqual([1, 2, 3, 4]), WAIT_OPTIONS);
    await vi.waitFor(
      async () => expect((await queues.readDepths()).tactical).toMatchObject({ waiting: 0, active: 0, delayed: 0 }),
      WAIT_OPTIONS,
    );
    await queues.close(3_000);
    await cluster.stop();
  });
});
