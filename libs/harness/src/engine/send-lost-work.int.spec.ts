import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { phaseStream } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Engine } from './engine.js';
import { offerTool } from './offer-tool.js';
import { useStore } from './use-store.fixture.js';
import { call, COMPLETE_JOB, createThreePhasePolicy, PLAN_ONE_TODO, parsePrompt } from './scripts.js';

const opened = useStore();

it('the work of a dead process is sent immediately, and only once per dead process', async () => {
  const subject = new Engine({
    store: opened.store,
    policy: (request) => (parsePrompt(request).phase === 1 ? PLAN_ONE_TODO : COMPLETE_JOB),
  });
  const jobId = await subject.submit();
  await subject.driver.advance(jobId);
  const lost = subject.worker('worker', () => new Promise(() => undefined));
  void subject.deliver(subject.messages.shift()!, lost, subject.toolRunner());
  while (!(await subject.loadPhase(jobId, 1)).modelCall.open) await sleep(1);
  const dead = [{ processId: 'worker', leases: [phaseStream(jobId, 1), `${phaseStream(jobId, 1)}/call_1_1_1`] }];
  const failOnError = (stream: string, error: unknown): void => expect.unreachable(`${stream}: ${String(error)}`);

  expect(await subject.reconciler.dispatchForDead(dead, failOnError)).toBe(0);
  expect(subject.messages).toEqual([]);
  subject.alive.delete('worker');
  await subject.reconciler.dispatchForDead([], failOnError);
  expect(await subject.reconciler.dispatchForDead(dead, failOnError)).toBe(1);
  expect(subject.messages).toMatchObject([{ queue: 'strategic', payload: { jobId, phase: 1 } }]);
  expect(await subject.reconciler.dispatchForDead(dead, failOnError)).toBe(0);
});

it('a quarantined stream is skipped without a problem report, and the others are sent', async () => {
  const subject = new Engine({ store: opened.store, policy: () => PLAN_ONE_TODO });
  const [quarantined, other] = [await subject.submit(), await subject.submit()];
  for (const jobId of [quarantined, other]) await subject.driver.advance(jobId);
  const pool = createPool(opened.url);
  // Appended without schema checks: an event that no release can read.
  await new EventStore(pool).append({
    streamId: phaseStream(quarantined, 1),
    correlationId: quarantined,
    expectedVersion: 'any',
    events: [{ eventId: randomUUID(), type: 'PhaseTeleported', schemaVersion: 1, data: {}, metadata: {} }],
  });
  await pool.end();
  const runPass = async (
    isSkipped?: (streamId: string) => boolean,
  ): Promise<{ problems: string[]; sentFor: string[] }> => {
    // All messages are lost before each pass.
    subject.messages.length = 0;
    const problems: string[] = [];
    await subject.reconciler.runPass((streamId) => void problems.push(streamId), isSkipped);
    return { problems, sentFor: subject.messages.map(({ payload }) => payload.jobId) };
  };

  const without = await runPass();
  expect(without.problems).toContain(phaseStream(quarantined, 1));
  expect(without.sentFor).toContain(other);
  const skipping = await runPass((streamId) => streamId.includes(quarantined));
  expect(skipping.problems).toEqual([]);
  expect(skipping.sentFor).toContain(other);
  expect((await runPass((streamId) => streamId.includes(other))).sentFor).not.toContain(other);
});

it('a call that was handed over is not sent again while the process that runs it lives', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const subject = new Engine({
    store: opened.store,
    policy: createThreePhasePolicy([call('convert')]),
    ...offerTool({
      name: 'convert',
      effect: 'pure',
      timeoutMs: 60_000,
      input: z.object({}),
      run: async () => {
        begun.resolve();
        await gate.promise;
        return { content: 'converted' };
      },
    }),
  });
  const jobId = await subject.submit();
  await subject.runUntilToolCall(jobId, subject.worker('worker'), subject.toolRunner());
  const message = subject.messages.shift()!;
  expect(message).toMatchObject({ queue: 'tools', payload: { jobId, worker: 'worker' } });
  const holder = subject.toolRunner('holder');
  subject.alive.add('holder');
  const running = subject.deliver(message, subject.worker(), holder);
  await begun.promise;
  const sendDue = async () => {
    await subject.reconciler.runPass(
      (stream, error) => expect.unreachable(`${stream}: ${String(error)}`),
      (stream) => !stream.includes(jobId),
    );
    return subject.messages.splice(0).map(({ queue }) => queue);
  };

  expect(await sendDue()).toEqual([]);
  subject.alive.delete('holder');
  expect(await sendDue()).toEqual(['tools']);
  gate.resolve();
  await running;
});
