import { randomUUID } from 'node:crypto';
import type { JobId } from '@phaseline/contracts';
import { getAdmittedCall, NOTHING_SPENT, type PhaseEvent } from '@phaseline/domain';
import { delegationPack } from '@phaseline/inline-packs';
import { expect, it } from 'vitest';
import type { Engine } from './engine.js';
import { positionOf, toolsWith, useForks } from './fork.fixture.js';
import { call, createThreePhasePolicy } from './scripts.js';

const { opened, playJob, replay, outcomeOf } = useForks();

const delegating = createThreePhasePolicy([
  call('delegate', { agent: 'helper', task: 'Write a text.', inputs: ['instructions.md'], timeout: '30m' }),
]);
const options = { packs: [delegationPack], agent: { tools: toolsWith('delegate') } };

/** Records the end of the child job, as the orchestrator does. */
async function endChild(engine: Engine, jobId: JobId): Promise<void> {
  const phase = await engine.loadPhase(jobId, 2);
  const { child } = getAdmittedCall(phase.calls, 'call_2_1_1');
  const { hash, size } = phase.tree['instructions.md']!;
  const event: PhaseEvent = {
    type: 'ChildJobEnded',
    data: {
      ...{ callId: 'call_2_1_1', childJobId: randomUUID(), outcome: 'completed', summary: 'The text is written.' },
      ...{ files: [{ path: 'text.md', hash, size }], omittedFiles: 0, reserved: child!.reserved },
      spending: { ...NOTHING_SPENT, costMicroUsd: 7 },
      unconfirmed: { costMicroUsd: 0, tokens: 0 },
    },
  };
  await engine.repository.appendToPhase(phase, [event], { origin: { actor: { id: 'spec', kind: 'process' } } });
}

it('a call that delegates waits without a message, and the job continues with the summary and the files', async () => {
  const { engine, jobId } = await playJob(delegating, options);
  await engine.reconciler.runPass(() => undefined);
  await engine.run(jobId);
  expect(engine.messages).toEqual([]);
  const waiting = await engine.loadPhase(jobId, 2);
  expect(waiting.modelCall.open).toBeUndefined();
  expect(getAdmittedCall(waiting.calls, 'call_2_1_1')).toMatchObject({
    status: 'awaiting-child',
    child: { agent: 'helper', timeoutMs: 1_800_000, inputs: [{ path: 'instructions.md' }] },
  });
  await endChild(engine, jobId);
  await engine.reconciler.runPass(() => undefined);
  await engine.run(jobId);
  const ended = await engine.loadPhase(jobId, 2);
  expect(ended.tree['delegated/call_2_1_1/text.md']).toMatchObject({ hash: ended.tree['instructions.md']!.hash });
  expect((await engine.loadJob(jobId)).status).toBe('completed');
  const events = await opened.store.readCorrelation(jobId);
  const completed = events.find(({ type, data }) => type === 'ToolCallCompleted' && data['callId'] === 'call_2_1_1');
  expect(completed!.data['content']).toContain('The text is written.\nIts files:\n- delegated/call_2_1_1/text.md');
});

it('a recorded fork repeats the result and delegates nothing; a live one delegates for itself', async () => {
  const { engine, jobId, fork } = await playJob(delegating, options);
  const position = positionOf(await opened.store.readCorrelation(jobId), 'ChildJobRequested');
  const live = await fork({ position, mode: 'live' });
  await engine.run(live);
  expect((await engine.eventTypes(live, 2)).filter((type) => type === 'ChildJobRequested')).toHaveLength(1);
  await endChild(engine, jobId);
  await engine.reconciler.runPass(() => undefined);
  await engine.run(jobId);
  const { status, ...expected } = await outcomeOf(jobId);
  expect(status).toBe('completed');
  const events = await opened.store.readCorrelation(jobId);
  for (const type of ['JobSubmitted', 'ChildJobRequested', 'ChildJobEnded'])
    expect(await replay(engine, jobId, positionOf(events, type)), `forked at ${type}`).toMatchObject(expected);
});
