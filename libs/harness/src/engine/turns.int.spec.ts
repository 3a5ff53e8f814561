import { once } from 'node:events';
import { peoplePack } from '@phaseline/inline-packs';
import type { JobId } from '@phaseline/contracts';
import { getAdmittedCall, type AgentDefinitionInput } from '@phaseline/domain';
import { ModelError } from '@phaseline/model';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestControl } from './control.fixture.js';
import type { Engine, Policy, Reply } from './engine.js';
import { toolsWith } from './fork.fixture.js';
import { offerTool } from './offer-tool.js';
import { call, createThreePhasePolicy, DO_THE_TODO } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

const ask = call('ask_person', { question: 'Which colour?', deadline: '8h' });
const read = call('read_file', { path: 'instructions.md' });

/** A call of the model that ends only when it is stopped. */
const hang: Policy = async (_request, signal) => {
  if (!signal.aborted) await once(signal, 'abort');
  throw new ModelError('aborted', 'it was stopped');
};

interface Play {
  readonly turns: AgentDefinitionInput['turns'];
  /** Answers of the second phase, before it completes its todo. */
  readonly work: readonly Reply[] | Policy;
  /** How long each answer of the model takes, in milliseconds. */
  readonly answerMs?: number;
  /** How many of the first answers take that long; all of them if absent. */
  readonly slowAnswers?: number;
  readonly retries?: number;
  readonly pricePerMillion?: number;
}

/** A job of three phases with limits of turns. */
function play({ turns, work, answerMs = 0, slowAnswers = Infinity, pricePerMillion = 0, retries = 1 }: Play): Engine {
  let answers = 0;
  const policy = createThreePhasePolicy(work);
  const slow: Policy = (request, signal) => {
    answers += 1;
    if (answers <= slowAnswers) subject.advanceTime(answerMs);
    return policy(request, signal);
  };
  const tools = toolsWith('ask_person');
  const subject: Engine = engine(slow, {
    packs: [peoplePack],
    agent: { tools: { ...tools, workspace: ['read_file'] }, turns },
    pricePerMillion,
    retries,
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

  it('allow this number of turns', async () => {
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

  it('stop a model call when the time is used up, which ends the phase without a retry', async () => {
    const subject = play({ turns: { workMs: 1_500 }, work: hang });
    const jobId = await subject.submitAndRun();
    const job = await subject.loadJob(jobId);
    expect(job).toMatchObject({ status: 'aborted', failure: { code: 'turn_time_limit' }, phases: 2 });
    expect(job.turn!.workMs).toBeGreaterThanOrEqual(1_500);
    const [failed, end] = (await subject.phaseEvents(jobId, 2)).slice(-2);
    expect(failed).toMatchObject({ type: 'ModelCallFailed', data: { code: 'aborted', mayBeCharged: true } });
    const before = (await subject.loadPhase(jobId, 1)).turn!.workMs;
    expect(failed!.data['durationMs']).toBeGreaterThanOrEqual(1_500 - before);
    expect(end).toMatchObject({ type: 'PhaseFailed', data: { code: 'turn_time_limit', retryable: false } });
    expect(job.unconfirmed.tokens).toBeGreaterThan(0);
  });

  it('let the call be made again if a person began another turn while it was made', async () => {
    let asked = 0;
    const subject: Engine = play({
      turns: { workMs: 60_000 },
      work: async (request, signal) => {
        asked += 1;
        if (asked > 1) return DO_THE_TODO;
        await requestControl(subject, jobId, { action: 'steer', message: 'Go on.' });
        return hang(request, signal);
      },
      // The first phase leaves 1,500 ms.
      answerMs: 58_500,
      slowAnswers: 1,
    });
    const jobId = await subject.submit();
    await subject.run(jobId);
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed', turn: { number: 2 } });
    expect((await subject.eventTypes(jobId, 2)).filter((type) => type === 'ModelCallFailed')).toHaveLength(1);
  });

  it('count the time of failed calls, whether they are repeated or end the phase', async () => {
    const fail = (retryable: boolean) => (): never => {
      throw new ModelError('stream_broken', 'it broke', { retryable, mayBeCharged: true, attempts: 1 });
    };
    const repeated = play({ turns: { workMs: 50_000 }, work: fail(true), answerMs: 20_000 });
    const jobId = await repeated.submitAndRun();
    expect(await repeated.loadJob(jobId)).toMatchObject({
      failure: { code: 'turn_time_limit' },
      turn: { workMs: expect.closeTo(60_000, -3) },
    });
    expect((await repeated.eventTypes(jobId, 2)).filter((type) => type === 'ModelCallFailed')).toHaveLength(2);
    const ended = play({ turns: { workMs: 50_000 }, work: fail(false), answerMs: 20_000, retries: 0 });
    expect(await ended.loadJob(await ended.submitAndRun())).toMatchObject({
      failure: { code: 'model_failed' },
      turn: { workMs: expect.closeTo(40_000, -3) },
    });
  });

  it.each([
    ['stop a tool when the time is used up, and do not try it again', 0, { attempts: 1, runs: 1 }],
    ['run no tool after the time was used up', 1_500, { attempts: 0, runs: 0 }],
  ])('%s', async (_what, answerMs, { attempts, runs: expectedRuns }) => {
    let runs = 0;
    let answers = 0;
    const tool = {
      name: 'fetch',
      effect: 'pure' as const,
      timeoutMs: 60_000,
      input: z.object({}),
      run: async ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
        runs += 1;
        await once(signal, 'abort');
        throw new Error('it was stopped');
      },
    };
    const { packs, agent } = offerTool(tool);
    const policy = createThreePhasePolicy([call('fetch')]);
    const slow: Policy = (request, signal) => {
      answers += 1;
      if (answers === 2) subject.advanceTime(answerMs);
      return policy(request, signal);
    };
    const subject: Engine = engine(slow, {
      packs,
      agent: { ...agent, turns: { workMs: 1_500 } },
    });
    const jobId = await subject.submitAndRun();
    expect(await subject.loadJob(jobId)).toMatchObject({ failure: { code: 'turn_time_limit' }, phases: 2 });
    expect((await subject.phaseEvents(jobId, 2)).filter(({ type }) => type === 'ToolCallFailed')).toMatchObject([
      { data: { code: 'timeout', attempts } },
    ]);
    expect(runs).toBe(expectedRuns);
  });

  it('are not counted for agents without them', async () => {
    const subject = play({ turns: undefined, work: [read], answerMs: 1_000 });
    const job = await subject.loadJob(await subject.submitAndRun());
    expect(job.status).toBe('completed');
    expect(job.turn).toBeUndefined();
  });
});
