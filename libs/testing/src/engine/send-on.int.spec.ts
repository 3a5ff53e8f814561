import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { phaseStream } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Engine } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';
import { finish, planOne, where } from './scripts.js';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(async () => {
  await opened.close();
});

it('what a dead process worked on is sent on at once, and once while it is known to be dead', async () => {
  const subject = new Engine({
    store: opened.store,
    policy: (request) => (where(request).phase === 1 ? planOne : finish),
  });
  const jobId = await subject.submit();
  await subject.driver.advance(jobId);
  const lost = subject.worker('worker', () => new Promise(() => undefined));
  void subject.deliver(subject.messages.shift()!, lost, subject.toolRunner());
  while (!(await subject.histories.phase(jobId, 1))?.openModelCall) await sleep(1);
  const dead = [{ processId: 'worker', holds: [phaseStream(jobId, 1), `${phaseStream(jobId, 1)}/call_1_1_1`] }];
  const unexpected = (stream: string, error: unknown): void => expect.unreachable(`${stream}: ${String(error)}`);

  expect(await subject.reconciler.sendOn(dead, unexpected)).toBe(0);
  expect(subject.messages).toEqual([]);
  subject.alive.delete('worker');
  await subject.reconciler.sendOn([], unexpected);
  expect(await subject.reconciler.sendOn(dead, unexpected)).toBe(1);
  expect(subject.messages).toMatchObject([{ queue: 'strategic', payload: { jobId, phase: 1 } }]);
  expect(await subject.reconciler.sendOn(dead, unexpected)).toBe(0);
});

it('a stream that was set aside is passed over: no problem is reported, and the others are sent on', async () => {
  const subject = new Engine({ store: opened.store, policy: () => planOne });
  const [aside, other] = [await subject.submit(), await subject.submit()];
  for (const jobId of [aside, other]) await subject.driver.advance(jobId);
  const pool = createPool(opened.url);
  // Without the check by schemas: an event that no release can read.
  await new EventStore(pool).append({
    streamId: phaseStream(aside, 1),
    correlationId: aside,
    expectedVersion: 'any',
    events: [{ eventId: randomUUID(), type: 'PhaseTeleported', schemaVersion: 1, data: {}, metadata: {} }],
  });
  await pool.end();
  const pass = async (skips?: (streamId: string) => boolean): Promise<{ problems: string[]; sentFor: string[] }> => {
    // Every message is lost before each pass.
    subject.messages.length = 0;
    const problems: string[] = [];
    await subject.reconciler.pass((streamId) => void problems.push(streamId), skips);
    return { problems, sentFor: subject.messages.map(({ payload }) => payload.jobId) };
  };

  const without = await pass();
  expect(without.problems).toContain(phaseStream(aside, 1));
  expect(without.sentFor).toContain(other);
  const skipping = await pass((streamId) => streamId.includes(aside));
  expect(skipping.problems).toEqual([]);
  expect(skipping.sentFor).toContain(other);
  expect((await pass((streamId) => streamId.includes(other))).sentFor).not.toContain(other);
});
