import { expect, it } from 'vitest';
import { z } from 'zod';
import { Engine } from './engine.js';
import { offerTool } from './offer-tool.js';
import { useStore } from './use-store.fixture.js';
import { call, createThreePhasePolicy } from './scripts.js';

const opened = useStore();

/** Starts a job and stops at the message of its tool call. */
async function startJobWithCall() {
  const runs: string[] = [];
  const tool = offerTool({
    name: 'convert',
    effect: 'pure',
    timeoutMs: 60_000,
    input: z.object({}),
    run: async ({ callId }) => {
      runs.push(callId);
      return { content: 'converted' };
    },
  });
  const subject = new Engine({
    store: opened.store,
    policy: createThreePhasePolicy([call('convert')]),
    ...tool,
  });
  const jobId = await subject.submit();
  const [worker, runner] = [subject.worker(), subject.toolRunner()];
  await subject.runUntilToolCall(jobId, worker, runner);
  const { payload } = subject.messages.shift()!;
  const run = (deaths: number) =>
    runner.run({ ...payload, callId: payload.callId! }, new AbortController().signal, deaths);
  const end = async () =>
    (await subject.phaseEvents(jobId, payload.phase)).find(({ type }) => /^ToolCall(Completed|Failed)$/.test(type));
  return { subject, jobId, runs, run, end };
}

it('a call during which four processes died fails without a fifth attempt, and the job continues', async () => {
  const { subject, jobId, runs, run, end } = await startJobWithCall();
  expect(await run(4)).toBe('released');
  expect(runs).toEqual([]);
  expect(await end()).toMatchObject({ type: 'ToolCallFailed', data: { code: 'crashed_runner', attempts: 4 } });
  await subject.run(jobId);
  expect(await subject.loadJob(jobId)).toMatchObject({ phases: 3, status: 'completed' });
});

it('a call during which three processes died is attempted once more', async () => {
  const { runs, run, end } = await startJobWithCall();
  expect(await run(3)).toBe('released');
  expect(runs).toHaveLength(1);
  expect(await end()).toMatchObject({ type: 'ToolCallCompleted', data: { content: 'converted' } });
});
