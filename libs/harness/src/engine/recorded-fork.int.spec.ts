import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { phaseStream } from '@phaseline/domain';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { hashArgumentsOf } from './control.fixture.js';
import { Engine, type Policy } from './engine.js';
import { fetchAndWrite, positionOf, toolsWith, useForks } from './fork.fixture.js';
import { createReflectingPolicy } from './reflexion.fixture.js';
import { call, PLAN_ONE_TODO, createThreePhasePolicy, parsePrompt } from './scripts.js';

const { opened, playJob, forkJob, replay, outcomeOf, findChainProblems } = useForks();

describe('a recorded fork', () => {
  it('repeats the parent byte for byte from any position, without model calls and tool runs', async () => {
    const parent = await playJob();
    const expected = await outcomeOf(parent.jobId);
    expect(expected.status).toBe('completed');
    const [asked, runs] = [parent.seen.asked, parent.runs.length];
    const before = parent.events.filter(({ position }) => position < positionOf(parent.events, 'JobCompleted'));
    // The last event of each commit, and one inside a commit, which is equivalent to the commit before it.
    const ends = before.filter((event, index) => event.transactionId !== before[index + 1]?.transactionId);
    for (const { position } of [...ends.slice(0, -1), before.find(({ type }) => type === 'ToolCallRequested')!]) {
      expect(await replay(parent.engine, parent.jobId, position), `forked at ${position}`).toEqual(expected);
    }
    expect([parent.seen.asked, parent.runs.length]).toEqual([asked, runs]);
    expect((await opened.store.readCorrelation(parent.jobId)).length).toBe(parent.events.length);
    expect(await findChainProblems()).toEqual([]);
  });

  it('of a fork of a fork reads both recordings', async () => {
    const parent = await playJob();
    const first = await parent.fork({ position: positionOf(parent.events, 'PhaseStarted', 1), mode: 'live' });
    await parent.engine.run(first);
    const events = await opened.store.readCorrelation(first);
    const second = await forkJob(parent.engine, first, {
      position: positionOf(events, 'ModelResponded', 1),
      mode: 'recorded',
    });
    await parent.engine.run(second);
    expect(await outcomeOf(second)).toEqual(await outcomeOf(first));
    const forked = positionOf(await opened.store.readCorrelation(second), 'PhaseForked');
    expect(await replay(parent.engine, second, forked)).toEqual(await outcomeOf(first));
  });

  it('repeats the decisions of people without asking again', async () => {
    const agent = { tools: toolsWith('fetch'), approvals: { tools: ['fetch', 'write_file'], expireAfterMs: 60_000 } };
    const { engine, jobId, runs } = await playJob(fetchAndWrite, { agent });
    const findCallsAwaitingApproval = async (job: string) =>
      Object.values((await engine.loadPhase(job, 2)).calls.byId).filter((one) => one.status === 'awaiting-approval');
    for (
      let calls = await findCallsAwaitingApproval(jobId);
      calls.length > 0;
      calls = await findCallsAwaitingApproval(jobId)
    ) {
      const { callId } = calls[0]!;
      const argumentsHash = await hashArgumentsOf(engine, jobId, callId);
      await engine.driver.control(
        jobId,
        callId.endsWith('_2')
          ? { action: 'refuse', actor: 'ann', callId, reason: 'not this one' }
          : { action: 'approve', actor: 'ann', callId, argumentsHash },
      );
      await engine.run(jobId);
    }
    const expected = await outcomeOf(jobId);
    expect(expected).toMatchObject({ status: 'completed' });
    expect(runs).toEqual(['a']);
    const events = await opened.store.readCorrelation(jobId);
    for (const type of ['PhaseStarted', 'ApprovalRequested', 'ApprovalGranted']) {
      const at = positionOf(events, type, type === 'PhaseStarted' ? 1 : 0);
      expect(await replay(engine, jobId, at), `forked at ${type}`).toEqual(expected);
    }
    expect(runs).toEqual(['a']);
  });

  it('repeats the summaries of a long conversation and their costs', async () => {
    const prose = 'The service keeps every record for ten years. ';
    const policy: Policy = createThreePhasePolicy((request) => {
      const done = request.messages.filter(({ role }) => role === 'assistant').length;
      // The model is asked for the summary without tools.
      if (request.tools.length === 0) return { content: 'It wrote some files.' };
      const { last } = parsePrompt(request);
      if (done > 0 && last.includes('part-9')) return call('todo_complete');
      const [, number = '0'] = /part-(\d+)/.exec(last) ?? [];
      return call('write_file', { path: `part-${Number(number) + 1}.md`, content: prose.repeat(30) });
    });
    const agent = {
      tools: toolsWith('fetch'),
      context: { keepResults: 5, clearTokens: 12_000, summariseTokens: 2_000, todoList: 'after-system' as const },
    };
    const { engine, jobId, events } = await playJob(policy, { agent });
    const expected = await outcomeOf(jobId);
    const summaries = events.filter(({ type }) => type === 'ConversationSummarised');
    expect(summaries.length).toBeGreaterThan(0);
    for (const at of [positionOf(events, 'PhaseStarted', 1), summaries[0]!.position - 1, summaries[0]!.position]) {
      expect(await replay(engine, jobId, at)).toEqual(expected);
    }
  });

  it('repeats the reflection on a failed attempt and its costs, without a call', async () => {
    const { policy } = createReflectingPolicy();
    const agent = { tools: toolsWith(), reflexion: true };
    const { engine, jobId, events, seen } = await playJob(policy, { agent, retries: 1 });
    const expected = await outcomeOf(jobId);
    expect(expected.status).toBe('completed');
    const { asked } = seen;
    const answers = [0, 1].map((nth) => positionOf(events, 'ReflectionRecorded', nth));
    for (const at of [positionOf(events, 'PhaseStarted', 1), positionOf(events, 'PhaseStarted', 2), ...answers])
      expect(await replay(engine, jobId, at), `forked at ${at}`).toEqual(expected);
    expect(seen.asked).toBe(asked);
  });

  it('repeats long results stored as files and cleared results, from any position', async () => {
    const runs: string[] = [];
    const long: ToolPack = {
      name: 'long',
      tools: (['pure', 'idempotent'] as const).map((effect) =>
        defineRemoteTool({
          name: `tell_${effect}`,
          description: '',
          effect,
          timeoutMs: 5_000,
          input: z.object({ times: z.int() }),
          run: async (_context, { times }) => {
            runs.push(effect);
            return { content: `told at run ${runs.length} `.repeat(times) };
          },
        }),
      ),
    };
    const policy = createThreePhasePolicy([
      call('tell_pure', { times: 2_000 }),
      call('tell_idempotent', { times: 150 }),
      call('tell_pure', { times: 150 }),
      call('tell_idempotent', { times: 200 }),
      call('read_file', { path: 'tool_results/call_2_1_1.txt' }),
    ]);
    const agent = {
      tools: toolsWith('tell_pure', 'tell_idempotent'),
      context: { keepResults: 1, clearTokens: 500, summariseTokens: 80_000, todoList: 'after-system' as const },
    };
    const { engine, jobId, events } = await playJob(policy, { packs: [long], agent });
    const expected = await outcomeOf(jobId);
    expect(expected.status).toBe('completed');
    expect(Object.keys(expected.files ?? {}).filter((path) => path.startsWith('tool_results/'))).toEqual([
      'tool_results/call_2_1_1.txt',
      'tool_results/call_2_2_1.txt',
      'tool_results/call_2_4_1.txt',
    ]);
    const ran = runs.length;
    const inPhase = events.filter(({ streamId }) => streamId === phaseStream(jobId, 2));
    for (const { position } of inPhase.filter(({ type }) => type !== 'PhaseCompleted')) {
      expect(await replay(engine, jobId, position), `forked at ${position}`).toEqual(expected);
    }
    expect(runs).toHaveLength(ran);
  });

  it('repeats a failure', async () => {
    const parent = await playJob((request) =>
      parsePrompt(request).phase === 1 ? PLAN_ONE_TODO : { content: 'no more' },
    );
    const expected = await outcomeOf(parent.jobId);
    expect(expected.status).toBe('failed');
    const position = positionOf(parent.events, 'PhaseDispatched');
    expect(await replay(parent.engine, parent.jobId, position)).toEqual(expected);
  });

  it('fails where the recording ends', async () => {
    const engine = new Engine({ store: opened.store, policy: fetchAndWrite });
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    await engine.deliver(engine.messages.shift()!, engine.worker(), engine.toolRunner());
    await engine.driver.advance(jobId);
    engine.messages.length = 0;
    const position = positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
    const outcome = await replay(engine, jobId, position);
    expect(outcome).toMatchObject({ status: 'failed', phases: 2, failure: { code: 'not_recorded' } });
  });
});
