import { peoplePack } from '@phaseline/inline-packs';
import { getAdmittedCall } from '@phaseline/domain';
import type { JobId } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import type { Engine } from './engine.js';
import { positionOf, toolsWith, useForks } from './fork.fixture.js';
import { call, createThreePhasePolicy } from './scripts.js';

const { opened, playJob, replay, outcomeOf } = useForks();

const asking = createThreePhasePolicy([call('ask_person', { question: 'Which colour?', deadline: '8h' })]);
const options = { packs: [peoplePack], agent: { tools: toolsWith('ask_person') } };

async function answer(engine: Engine, jobId: JobId, given: string) {
  const { calls } = await engine.loadPhase(jobId, 2);
  const { questionHash } = getAdmittedCall(calls, 'call_2_1_1').question!;
  return requestControl(engine, jobId, { action: 'answer', callId: 'call_2_1_1', questionHash, answer: given });
}

describe('a fork of a job that asks', () => {
  it('repeats the answer without asking again, from any position', async () => {
    const { engine, jobId } = await playJob(asking, options);
    await answer(engine, jobId, 'green');
    await engine.run(jobId);
    const expected = await outcomeOf(jobId);
    expect(expected).toMatchObject({ status: 'completed' });
    const events = await opened.store.readCorrelation(jobId);
    for (const type of ['JobSubmitted', 'QuestionAsked', 'QuestionAnswered'])
      expect(await replay(engine, jobId, positionOf(events, type)), `forked at ${type}`).toEqual(expected);
  });

  it('asks again while its parent waits, and each takes its own answer', async () => {
    const { engine, jobId, events, fork } = await playJob(asking, options);
    const forked = await fork({ position: positionOf(events, 'QuestionAsked'), mode: 'live' });
    await engine.run(forked);
    expect(await answer(engine, forked, 'red')).toEqual({ kind: 'recorded' });
    await engine.run(forked);
    expect((await engine.loadJob(forked)).status).toBe('completed');
    expect((await engine.loadJob(jobId)).status).toBe('running');
    expect(await answer(engine, jobId, 'green')).toEqual({ kind: 'recorded' });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
  });

  it('gives a person as much time as the parent did', async () => {
    const { engine, jobId, events, fork } = await playJob(asking, options);
    const forked = await fork({ position: positionOf(events, 'QuestionAsked'), mode: 'live' });
    const questionOf = async (job: JobId) =>
      getAdmittedCall((await engine.loadPhase(job, 2)).calls, 'call_2_1_1').question!;
    const [first, second] = [await questionOf(jobId), await questionOf(forked)];
    const lengthOf = ({ askedAt, deadlineAt }: typeof first) => Date.parse(deadlineAt) - Date.parse(askedAt);
    expect(lengthOf(second)).toBe(lengthOf(first));
    expect(Date.parse(second.askedAt)).toBeGreaterThanOrEqual(Date.parse(first.askedAt));
  });
});
