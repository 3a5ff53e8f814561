import { setTimeout as sleep } from 'node:timers/promises';
import { phaseStream, buildToolMessage } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Engine } from './engine.js';
import { offerTool } from './offer-tool.js';
import { useStore } from './use-store.fixture.js';
import { call, createThreePhasePolicy } from './scripts.js';

const opened = useStore();

/** A tool whose first run blocks until `wake`, like a stopped process. */
function stoppedTool(effect: 'once' | 'pure') {
  const effects: string[] = [];
  const continued = Promise.withResolvers<void>();
  const options = offerTool({
    name: 'pay',
    effect,
    timeoutMs: 60_000,
    input: z.object({}),
    run: async ({ callId }) => {
      effects.push(callId);
      if (effects.length === 1) await continued.promise;
      const run = effects.length === 1 ? 'first' : 'second';
      return { content: `paid`, files: [{ path: `paid-${run}.txt`, content: new TextEncoder().encode(run) }] };
    },
  });
  return { effects, wake: () => continued.resolve(), ...options };
}

const payOnce = createThreePhasePolicy([call('pay')]);

/** A job whose first tool call runs in the process `asleep` and blocks there. */
async function startJobWithSleeper(effect: 'once' | 'pure') {
  const tool = stoppedTool(effect);
  const subject = new Engine({ store: opened.store, policy: payOnce, ...tool });
  subject.alive.add('asleep').add('awake').add('late');
  const jobId = await subject.submit();
  const [worker, asleep] = [subject.worker(), subject.toolRunner('asleep')];
  await subject.runUntilToolCall(jobId, worker, asleep);
  const message = subject.messages.shift()!;
  const sleeping = subject.deliver(message, worker, asleep);
  while (tool.effects.length === 0) await sleep(1);
  return { subject, tool, jobId, message, sleeping, worker };
}

describe('a tool-runner that was stopped during a tool and wakes up after the phase has continued', () => {
  it.each(['once', 'pure'] as const)('changes nothing: %s', async (effect) => {
    const { subject, tool, jobId, message, sleeping, worker } = await startJobWithSleeper(effect);
    subject.alive.delete('asleep');
    await subject.deliver(message, worker, subject.toolRunner('awake'));

    // The phase continues; its worker is lost during the next model call, and another one takes over.
    const started = Promise.withResolvers<void>();
    const lost = subject.worker('worker', () => {
      started.resolve();
      return new Promise(() => undefined);
    });
    void subject.deliver(subject.messages.shift()!, lost, subject.toolRunner('awake'));
    await started.promise;
    subject.alive.delete('worker');
    const before = await subject.loadPhase(jobId, 2);
    expect(before.modelCall.open).toMatchObject({ leaseOwner: 'worker' });
    const resumed = Promise.withResolvers<void>();
    const continued = Promise.withResolvers<void>();
    const late = subject.worker('late', async (request, signal) => {
      resumed.resolve();
      await continued.promise;
      return payOnce(request, signal);
    });
    const takenOver = late.run({ jobId, phase: 2 }, new AbortController().signal);
    await resumed.promise;
    expect(await subject.loadPhase(jobId, 2)).toMatchObject({ modelCall: { epoch: 1 } });

    const { length } = await opened.store.read(phaseStream(jobId, 2));
    tool.wake();
    expect(await sleeping).toBe('released');
    expect(await opened.store.read(phaseStream(jobId, 2))).toHaveLength(length);

    continued.resolve();
    await takenOver;
    await subject.run(jobId, { worker: late });
    const events = await subject.phaseEvents(jobId, 2);
    const ends = events.filter(
      ({ type, data }) =>
        type.startsWith('ToolCall') && data['callId'] === 'call_2_1_1' && type !== 'ToolCallRequested',
    );
    expect(ends.map(({ type }) => type)).toEqual(
      effect === 'once' ? ['ToolCallStarted', 'ToolCallFailed'] : ['ToolCallCompleted'],
    );
    // `once`: one effect, recorded as unknown. `pure`: the call was repeated, and its second result counts.
    expect(tool.effects).toHaveLength(effect === 'once' ? 1 : 2);
    const written = events.filter(({ type }) => type === 'FileWritten').map(({ data }) => data['path']);
    expect(written).not.toContain('paid-first.txt');
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });
});

it('a message from before a takeover is refused, and one with the new epoch is accepted', async () => {
  const { subject, tool, jobId, sleeping, worker } = await startJobWithSleeper('once');
  tool.wake();
  await sleeping;
  const pays = subject.worker('pays', () => call('pay'));
  const lost = subject.worker('worker', () => new Promise(() => undefined));
  void subject.deliver(subject.messages.shift()!, lost, subject.toolRunner());
  while (!(await subject.loadPhase(jobId, 2)).modelCall.open) await sleep(1);
  subject.alive.delete('worker');
  await pays.run({ jobId, phase: 2 }, new AbortController().signal);
  const state = await subject.loadPhase(jobId, 2);
  expect(state.modelCall.epoch).toBe(1);
  const due = buildToolMessage(state, 'call_2_2_1');
  expect(due.payload.epoch).toBe(1);

  const runner = subject.toolRunner('awake');
  const signal = new AbortController().signal;
  expect(await runner.run({ ...due.payload, epoch: 0 }, signal)).toBe('released');
  expect(tool.effects).toEqual(['call_2_1_1']);
  expect(await runner.run(due.payload, signal)).toBe('released');
  expect(tool.effects).toEqual(['call_2_1_1', 'call_2_2_1']);
  await subject.run(jobId, { worker });
});
