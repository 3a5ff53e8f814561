import { peoplePack } from '@phaseline/inline-packs';
import type { JobId } from '@phaseline/contracts';
import { getAdmittedCall, type AgentDefinitionInput } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import type { Engine, Policy, Reply } from './engine.js';
import { toolsWith } from './fork.fixture.js';
import { call, createThreePhasePolicy } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

const ask = call('ask_person', { question: 'Which colour?', deadline: '8h' });
const read = call('read_file', { path: 'instructions.md' });

interface Play {
  readonly turns: AgentDefinitionInput['turns'];
  /** Answers of the second phase, before it completes its todo. */
  readonly work: readonly Reply[];
  /** How long each answer of the model takes, in milliseconds. */
  readonly answerMs?: number;
  readonly pricePerMillion?: number;
}

/** A job of three phases with limits of turns. */
function play({ turns, work, answerMs = 0, pricePerMillion = 0 }: Play): Engine {
  const policy = createThreePhasePolicy(work);
  const slow: Policy = (request, signal) => {
    subject.advanceTime(answerMs);
    return policy(request, signal);
  };
  const tools = toolsWith('ask_person');
  const subject: Engine = engine(slow, {
    packs: [peoplePack],
    agent: { tools: { ...tools, workspace: ['read_file'] }, turns },
    pricePerMillion,
  });
  return subject;
}

async function answer(subject: Engine, jobId: JobId): Promise<void> {
  const callId = 'call_2_1_1';
  const { question } = getAdmittedCall((await subject.loadPhase(jobId, 2)).calls, callId);
  const { questionHash } = question!;
  await requestControl(subject, jobId, { action: 'answer', callId, questionHash, answer: 'green' });
  await subject.run(jobId);
}

describe('limits of turns', () => {
  it('count the time inside model calls and tools over all phases of a turn', async () => {
    const subject = play({ turns: { workMs: 50_000 }, work: [read, read, read], answerMs: 20_000 });
    const job = await subject.loadJob(await subject.submitAndRun());
    expect(job).toMatchObject({ status: 'aborted', failure: { code: 'turn_time_limit' } });
    expect(job.turn).toMatchObject({ number: 1, workMs: expect.closeTo(60_000, -3) });
    expect(job.phases).toBe(2);
  });

  it('begin again with an input of a person, and do not count the wait for it', async () => {
    const subject = play({ turns: { workMs: 50_000 }, work: [ask], answerMs: 20_000 });
    const jobId = await subject.submitAndRun();
    subject.advanceTime(3_600_000);
    await answer(subject, jobId);
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'completed',
      turn: { number: 2, workMs: expect.closeTo(40_000, -3) },
    });
  });

  it('allow so many turns', async () => {
    const subject = play({ turns: { max: 1 }, work: [ask] });
    const jobId = await subject.submitAndRun();
    await answer(subject, jobId);
    expect((await subject.loadJob(jobId)).failure).toMatchObject({ code: 'turn_limit' });
  });

  it('let the call that passes the soft cost end, and no other begin', async () => {
    const subject = play({ turns: { softCostUsd: 0.000_001 }, work: [], pricePerMillion: 1 });
    const jobId = await subject.submitAndRun();
    const job = await subject.loadJob(jobId);
    expect(job).toMatchObject({ failure: { code: 'turn_cost_limit' }, phases: 2 });
    expect(job.spending.steps).toBe(1);
    await requestControl(subject, jobId, { action: 'retry' });
    await subject.run(jobId);
    // The retry is an input of a person: it begins a turn, in which one more call is made.
    expect((await subject.loadJob(jobId)).spending.steps).toBe(2);
  });

  it('are not counted for agents without them', async () => {
    const subject = play({ turns: undefined, work: [read], answerMs: 1_000 });
    const job = await subject.loadJob(await subject.submitAndRun());
    expect(job.status).toBe('completed');
    expect(job.turn).toBeUndefined();
  });
});
