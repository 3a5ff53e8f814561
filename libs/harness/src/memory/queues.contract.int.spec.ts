import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createQueues, migrateQueues, type Queues } from '@phaseline/queue';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { handleDelivery, type DeliveryHandler } from './handle-delivery.js';
import { MemoryQueues } from './memory-queues.js';

interface QueueUnderTest {
  send(id: string, options?: { delayMs?: number; priority?: number }): Promise<void>;
  work(handler: (id: string, attempt: number) => Promise<void | { retryAt: number }>): Promise<void>;
  deadLetterCount(): number;
  close(): Promise<void>;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrateQueues(database.ownerUrl);
});
afterAll(async () => {
  await database.drop();
});

const payload = { jobId: randomUUID(), phase: 1, version: 1, epoch: 0 };

async function createRealQueue(): Promise<QueueUnderTest> {
  let deadLetters = 0;
  // The queue and its messages outlive a test, so each test recognises its own messages by their ids.
  const ownPrefix = `${randomUUID()}_`;
  const queues: Queues = await createQueues(
    { backend: 'postgres', connectionString: database.serviceUrl },
    { onDeadLetter: async () => void (deadLetters += 1), onError: () => {} },
  );
  return {
    send: (id, options) => queues.send('tactical', payload, { id: ownPrefix + id, ...options }),
    work: async (handler) => {
      await queues.work(
        'tactical',
        async (_payload, { messageId, attempt }) =>
          messageId.startsWith(ownPrefix) ? handler(messageId.slice(ownPrefix.length), attempt) : undefined,
        { concurrency: 1 },
      );
    },
    deadLetterCount: () => deadLetters,
    close: async () => void (await queues.close(5_000)),
  };
}

async function createMemoryQueue(): Promise<QueueUnderTest> {
  const timers = new Set<NodeJS.Timeout>();
  const queues = new MemoryQueues({
    now: () => Date.now(),
    after: (ms, run) => void timers.add(setTimeout(run, ms)),
  });
  return {
    send: async (id, options) => queues.send('tactical', payload, { id, ...options }),
    work: async (handle) => {
      queues.addWorker('tactical', {
        concurrency: 1,
        acceptsMessages: () => true,
        silentSince: () => undefined,
        deliver: (delivery) => {
          const handler: DeliveryHandler = (_payload, { attempt }) => handle(delivery.id, attempt);
          void handleDelivery(delivery, handler, new AbortController().signal, () => false).then(
            ({ deliveryOutcome }) => delivery.reportOutcome(deliveryOutcome),
          );
        },
      });
    },
    deadLetterCount: () => queues.deadLetterCount,
    close: async () => timers.forEach((timer) => clearTimeout(timer)),
  };
}

describe.each([
  ['PostgreSQL', createRealQueue],
  ['memory', createMemoryQueue],
])('queues in %s', (_name, create) => {
  let queues: QueueUnderTest;
  let seen: string[];
  beforeEach(async () => {
    queues = await create();
    seen = [];
    return () => queues.close();
  });
  const expectSeen = async (...ids: string[]): Promise<void> =>
    expect.poll(() => seen, { timeout: 15_000 }).toEqual(ids);

  it('accept one message per id while it waits or runs, and another once it has ended', async () => {
    await queues.send('a');
    await queues.send('a');
    const running = Promise.withResolvers<void>();
    await queues.work(async (id) => {
      seen.push(id);
      if (seen.length === 1) await running.promise;
    });
    await expectSeen('a');
    await queues.send('a');
    await queues.send('b');
    running.resolve();
    await expectSeen('a', 'b');
    // The id becomes free shortly after the handler has ended.
    await expect
      .poll(async () => {
        await queues.send('a');
        return seen.length;
      })
      .toBeGreaterThan(2);
    expect(seen.slice(2)).toContain('a');
  });

  it('deliver messages without a priority first, then by ascending number, otherwise in the order of sending', async () => {
    await queues.send('later', { priority: 5 });
    await queues.send('sooner', { priority: 2 });
    await queues.send('first');
    await queues.send('second');
    await queues.work(async (id) => void seen.push(id));
    await expectSeen('first', 'second', 'sooner', 'later');
  });

  it('deliver a postponed or failed message again and count only the failure', async () => {
    await queues.send('a');
    await queues.work(async (id, attempt) => {
      seen.push(`${id} ${attempt}`);
      if (seen.length === 1) return { retryAt: Date.now() + 20 };
      if (seen.length === 2) throw new Error('it failed');
      return undefined;
    });
    await expectSeen('a 1', 'a 1', 'a 2');
  });

  it('delay a message as requested and accept no second one with its id meanwhile', async () => {
    await queues.work(async (id) => void seen.push(id));
    await queues.send('late', { delayMs: 400 });
    await queues.send('late');
    await queues.send('now');
    await expectSeen('now', 'late');
  });

  it('move a message to the dead letters if its error is not retryable', async () => {
    await queues.send('a');
    await queues.work(async (id) => {
      seen.push(id);
      throw Object.assign(new Error('for good'), { retryable: false });
    });
    await expect.poll(() => queues.deadLetterCount(), { timeout: 15_000 }).toBe(1);
    expect(seen).toEqual(['a']);
  });
});
