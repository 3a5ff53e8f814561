import { randomUUID } from 'node:crypto';
import { createPool, EventStore, Subscription } from '@phaseline/event-store';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TailHealth } from './tail-health.js';

const EVENTS = 60;
const LIMIT_MS = 1_000;
const OWNER = 'orchestrator-of-this-spec';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 10 });
  const store = new EventStore(pool);
  for (let n = 0; n < EVENTS; n += 1) {
    const streamId = `stream-${n % 3}`;
    await store.append({
      streamId,
      correlationId: streamId,
      expectedVersion: 'any',
      events: [{ eventId: randomUUID(), type: 'TodoCompleted', schemaVersion: 1, data: { n }, metadata: {} }],
    });
  }
  await store.close();
  // All events have now waited longer than allowed.
  await new Promise((resolve) => setTimeout(resolve, LIMIT_MS + 100));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/**
 * Starts a reader whose handler processes one page per call of `release`, with its readiness check and a clock
 * controlled by the spec.
 */
async function slowReader(name: string) {
  let clock = 0;
  const waiting: (() => void)[] = [];
  let broken = false;
  const health = new TailHealth({ pool, name, owner: OWNER, limitMs: LIMIT_MS, now: () => clock });
  const reader = new Subscription(pool, {
    name,
    partitions: 1,
    replicaId: OWNER,
    pollMs: 10,
    pageSize: 10,
    handle: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (broken) throw new Error('the queue is away');
    },
    onError: (error) => health.recordFailure(error),
  });
  await reader.start();
  const release = async (): Promise<void> => {
    await expect.poll(() => waiting.length, { timeout: 20_000 }).toBeGreaterThan(0);
    waiting.shift()?.();
  };
  return {
    health,
    release,
    pass: (ms: number) => (clock += ms),
    breakHandler: () => (broken = true),
    close: async () => {
      const closing = reader.close(1_000);
      for (const resolve of waiting) resolve();
      await closing;
    },
  };
}

it('reports the progress of a reader with a long log to read, as long as its checkpoint moves', async () => {
  const { health, release, pass, close } = await slowReader('moving');
  const seen: number[] = [];
  for (let page = 0; page < 5; page += 1) {
    await release();
    // On the clock of the check, much more time passes than events may wait, but the checkpoint keeps moving.
    pass(LIMIT_MS * 0.9);
    await expect
      .poll(
        async () => {
          const answer = await health.check();
          return typeof answer === 'object' ? answer.done : answer;
        },
        { timeout: 20_000 },
      )
      .toBe((page + 1) * 10);
    const answer = await health.check();
    expect(answer).toEqual({
      reason: `catching up, ${(page + 1) * 10} of ${EVENTS} events`,
      done: (page + 1) * 10,
      total: EVENTS,
      revision: 0,
    });
    seen.push((answer as { done: number }).done);
  }
  expect(seen).toEqual([10, 20, 30, 40, 50]);
  await release();
  await expect.poll(() => health.check(), { timeout: 20_000 }).toBeUndefined();
  await close();
});

it('reports that no process handles the events once the checkpoint has not moved for too long', async () => {
  const { health, pass, close } = await slowReader('standing');
  await expect.poll(() => health.check(), { timeout: 20_000 }).toMatchObject({ done: 0, total: EVENTS });
  pass(LIMIT_MS + 1);
  expect(await health.check()).toMatch(/events have been waiting for .* and no process handles them/);
  await close();
});

it('counts progress within a page, whose checkpoint moves only at its end', async () => {
  const { health, pass, close } = await slowReader('page');
  await expect.poll(() => health.check(), { timeout: 20_000 }).toMatchObject({ done: 0, revision: 0 });
  for (let job = 1; job <= 3; job += 1) {
    pass(LIMIT_MS * 0.9);
    health.recordProgress();
    expect(await health.check()).toMatchObject({ done: 0, total: EVENTS, revision: job });
  }
  pass(LIMIT_MS + 1);
  expect(await health.check()).toMatch(/no process handles them/);
  await close();
});

it('reports the failure of a reader that has made no progress since', async () => {
  const { health, release, breakHandler, close } = await slowReader('failing');
  await expect.poll(() => health.check(), { timeout: 20_000 }).toMatchObject({ done: 0 });
  breakHandler();
  await release();
  await expect
    .poll(() => health.check(), { timeout: 20_000 })
    .toMatch(/and the last attempt failed: the queue is away/);
  await close();
});
