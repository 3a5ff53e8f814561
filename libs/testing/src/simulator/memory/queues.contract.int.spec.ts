import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createQueues, migrateQueues, type Queues } from '@phaseline/queue';
import { createTestDatabase, type TestDatabase } from '@phaseline/test-database';
import { judge, type DeliveryHandler } from './handle-delivery.js';
import { MemoryQueues } from './memory-queues.js';

interface UnderTest {
  send(id: string, options?: { delayMs?: number; priority?: number }): Promise<void>;
  work(handler: (id: string, attempt: number) => Promise<void | { retryAt: number }>): Promise<void>;
  buried(): number;
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

async function real(): Promise<UnderTest> {
  let buried = 0;
  // The queue outlives a test, and so may a message of it: each test knows its own by their ids.
  const mine = `${randomUUID()}_`;
  const queues: Queues = await createQueues(
    { backend: 'postgres', connectionString: database.serviceUrl },
    { onDeadLetter: async () => void (buried += 1), onError: () => {} },
  );
  return {
    send: (id, options) => queues.send('tactical', payload, { id: mine + id, ...options }),
    work: async (handler) => {
      await queues.work(
        'tactical',
        async (_payload, { messageId, attempt }) =>
          messageId.startsWith(mine) ? handler(messageId.slice(mine.length), attempt) : undefined,
        { concurrency: 1 },
      );
    },
    buried: () => buried,
    close: async () => void (await queues.close(5_000)),
  };
}

async function memory(): Promise<UnderTest> {
  const timers = new Set<NodeJS.Timeout>();
  const queues = new MemoryQueues({
    now: () => Date.now(),
    after: (ms, run) => void timers.add(setTimeout(run, ms)),
  });
  return {
    send: async (id, options) => queues.send('tactical', payload, { id, ...options }),
    work: async (handle) => {
      queues.work('tactical', {
        concurrency: 1,
        takes: () => true,
        silentSince: () => undefined,
        deliver: (delivery) => {
          const handler: DeliveryHandler = (_payload, { attempt }) => handle(delivery.id, attempt);
          void judge(delivery, handler, new AbortController().signal, () => false).then(({ verdict }) =>
            delivery.settle(verdict),
          );
        },
      });
    },
    buried: () => queues.dead,
    close: async () => timers.forEach((timer) => clearTimeout(timer)),
  };
}

describe.each([
  ['PostgreSQL', real],
  ['memory', memory],
])('queues in %s', (_name, make) => {
  let queues: UnderTest;
  let seen: string[];
  beforeEach(async () => {
    queues = await make();
    seen = [];
    return () => queues.close();
  });
  const have = async (...ids: string[]): Promise<void> => expect.poll(() => seen, { timeout: 15_000 }).toEqual(ids);

  it('take one message an id while it waits or runs, and another once it has ended', async () => {
    await queues.send('a');
    await queues.send('a');
    const running = Promise.withResolvers<void>();
    await queues.work(async (id) => {
      seen.push(id);
      if (seen.length === 1) await running.promise;
    });
    await have('a');
    await queues.send('a');
    await queues.send('b');
    running.resolve();
    await have('a', 'b');
    // The end of a message frees its id a moment later than the handler ends.
    await expect
      .poll(async () => {
        await queues.send('a');
        return seen.length;
      })
      .toBeGreaterThan(2);
    expect(seen.slice(2)).toContain('a');
  });

  it('give messages without a priority first, then the lowest number, and else in the order of sending', async () => {
    await queues.send('later', { priority: 5 });
    await queues.send('sooner', { priority: 2 });
    await queues.send('first');
    await queues.send('second');
    await queues.work(async (id) => void seen.push(id));
    await have('first', 'second', 'sooner', 'later');
  });

  it('bring a message again that was put off or that failed, counting only the failure', async () => {
    await queues.send('a');
    await queues.work(async (id, attempt) => {
      seen.push(`${id} ${attempt}`);
      if (seen.length === 1) return { retryAt: Date.now() + 20 };
      if (seen.length === 2) throw new Error('it failed');
      return undefined;
    });
    await have('a 1', 'a 1', 'a 2');
  });

  it('hold a message back as long as asked, and take no second one under its id meanwhile', async () => {
    await queues.work(async (id) => void seen.push(id));
    await queues.send('late', { delayMs: 400 });
    await queues.send('late');
    await queues.send('now');
    await have('now', 'late');
  });

  it('bury a message whose error says that trying again is of no use', async () => {
    await queues.send('a');
    await queues.work(async (id) => {
      seen.push(id);
      throw Object.assign(new Error('for good'), { retryable: false });
    });
    await expect.poll(() => queues.buried(), { timeout: 15_000 }).toBe(1);
    expect(seen).toEqual(['a']);
  });
});
