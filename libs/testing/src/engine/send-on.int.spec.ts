import { setTimeout as sleep } from 'node:timers/promises';
import { phaseStream } from '@phaseline/domain';
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
