import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { messageSpecs } from '@phaseline/contracts';
import { jobStream, phaseStream, type JobState } from '@phaseline/domain';
import { createPool, verifyChain } from '@phaseline/event-store';
import { JobRepository, LineageBroken } from '@phaseline/repository';
import { ForkRefused, Forks, TimeTravel, type ForkOptions } from '@phaseline/time-travel';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';
import { call, calls, COMPLETE_JOB, PLAN_ONE_TODO, createThreePhasePolicy, parsePrompt } from './scripts.js';

let opened: OpenStore;
let pool: ReturnType<typeof createPool>;
let travel: TimeTravel;
beforeAll(async () => {
  opened = await openStore();
  pool = createPool(opened.url, { max: 4, applicationName: 'spec' });
  travel = new TimeTravel(opened.store, pool);
});
afterAll(async () => {
  await pool.end();
  await opened.close();
});

/** A remote tool whose results differ from run to run, like those of external services. */
function createOutsideTool() {
  const runs: string[] = [];
  const pack: ToolPack = {
    name: 'outside',
    tools: [
      defineRemoteTool({
        name: 'fetch',
        description: '',
        effect: 'pure',
        timeoutMs: 5_000,
        input: z.object({ what: z.string().default('x') }),
        run: async (_context, { what }) => {
          runs.push(what);
          const text = `${what} at run ${runs.length}`;
          return { content: text, files: [{ path: `got/${what}.txt`, content: new TextEncoder().encode(text) }] };
        },
      }),
    ],
  };
  const agent = {
    tools: {
      workspace: ['write_file', 'read_file'],
      strategic: ['todo_write', 'todo_complete', 'job_complete'],
      tactical: ['todo_complete'],
      domain: ['fetch'],
    },
  };
  return { runs, options: { packs: [pack], agent } satisfies Partial<EngineOptions> };
}

/** Policy whose tactical phase fetches two things, writes the result and completes its todo. */
const fetchAndWrite: Policy = createThreePhasePolicy((request) => {
  const { turn, last } = parsePrompt(request);
  if (turn === 0) return calls(['fetch', { what: 'a' }], ['fetch', { what: 'b' }]);
  if (turn === 1) return call('write_file', { path: 'output/a.md', content: `from ${last}` });
  return call('todo_complete', { notes: `after ${turn} turns` });
});

interface PlayedJob {
  readonly engine: Engine;
  readonly runs: string[];
  readonly asked: number;
  readonly jobId: string;
  readonly events: readonly {
    position: number;
    type: string;
    streamId: string;
    version: number;
    transactionId: string;
  }[];
  fork(options: ForkOptions): Promise<string>;
}

/** Runs a job to its end. */
async function playJob(policy = fetchAndWrite): Promise<PlayedJob> {
  const { runs, options } = createOutsideTool();
  const seen = { asked: 0 };
  const counting: Policy = (request, signal) => {
    seen.asked += 1;
    return policy(request, signal);
  };
  const engine = new Engine({ store: opened.store, policy: counting, ...options });
  const jobId = await engine.submit();
  await engine.run(jobId);
  const events = await opened.store.readCorrelation(jobId);
  return {
    engine,
    runs,
    get asked() {
      return seen.asked;
    },
    jobId,
    events,
    fork: async (forkOptions) => {
      const forked = await forksOf(engine).fork(jobId, forkOptions, { actor: { id: 'spec', kind: 'process' } });
      return forked!.jobId;
    },
  };
}

function forksOf(engine: Engine): Forks {
  return new Forks({
    store: opened.store,
    repository: engine.repository,
    travel,
    sender: {
      send: async (queue, payload) =>
        void engine.messages.push({ queue, payload, id: messageSpecs[queue].id(payload) } as never),
    },
    clock: { now: () => new Date() },
  });
}

/** Returns what is equal in two jobs with the same decisions: files, todos, costs, outcome. */
async function outcomeOf(jobId: string) {
  const at = (await travel.at(jobId))!;
  const { status, completion, failure, phases, spending } = at.job;
  return {
    status,
    completion,
    failure,
    phases,
    spending,
    total: at.spending,
    files: at.files,
    todos: at.phase?.todos.list,
  };
}

const positionOf = (events: PlayedJob['events'], type: string, nth = 0): number =>
  events.filter((event) => event.type === type)[nth]!.position;

describe('a recorded fork', () => {
  it('repeats the parent byte for byte from any position, without model calls and tool runs', async () => {
    const parent = await playJob();
    const expected = await outcomeOf(parent.jobId);
    expect(expected.status).toBe('completed');
    const [asked, runs] = [parent.asked, parent.runs.length];
    const before = parent.events.filter(({ position }) => position < positionOf(parent.events, 'JobCompleted'));
    // The last event of each commit, and one inside a commit, which is equivalent to the commit before it.
    const ends = before.filter((event, index) => event.transactionId !== before[index + 1]?.transactionId);
    for (const { position } of [...ends.slice(0, -1), before.find(({ type }) => type === 'ToolCallRequested')!]) {
      const fork = await parent.fork({ position: position, mode: 'recorded' });
      await parent.engine.run(fork);
      expect(await outcomeOf(fork), `forked at ${position}`).toEqual(expected);
    }
    expect([parent.asked, parent.runs.length]).toEqual([asked, runs]);
    expect((await opened.store.readCorrelation(parent.jobId)).length).toBe(parent.events.length);
    expect((await verifyChain(pool)).problems).toEqual([]);
  });

  it('of a fork of a fork reads both recordings', async () => {
    const parent = await playJob();
    const first = await parent.fork({ position: positionOf(parent.events, 'PhaseStarted', 1), mode: 'live' });
    await parent.engine.run(first);
    const events = await opened.store.readCorrelation(first);
    const second = (await forksOf(parent.engine).fork(
      first,
      { position: positionOf(events, 'ModelResponded', 1), mode: 'recorded' },
      { actor: { id: 'spec', kind: 'process' } },
    ))!.jobId;
    await parent.engine.run(second);
    expect(await outcomeOf(second)).toEqual(await outcomeOf(first));
    const third = (await forksOf(parent.engine).fork(
      second,
      { position: positionOf(await opened.store.readCorrelation(second), 'PhaseForked'), mode: 'recorded' },
      { actor: { id: 'spec', kind: 'process' } },
    ))!.jobId;
    await parent.engine.run(third);
    expect(await outcomeOf(third)).toEqual(await outcomeOf(first));
  });

  it('repeats the decisions of people without asking again', async () => {
    const { options, runs } = createOutsideTool();
    const agent = { ...options.agent, approvals: { tools: ['fetch', 'write_file'], expireAfterMs: 60_000 } };
    const engine = new Engine({ store: opened.store, policy: fetchAndWrite, ...options, agent });
    const jobId = await engine.submit();
    await engine.run(jobId);
    const findCallsAwaitingApproval = async (job: string) =>
      Object.values((await engine.repository.loadPhase(job, 2))!.calls.byId).filter(
        (one) => one.status === 'awaiting-approval',
      );
    for (
      let calls = await findCallsAwaitingApproval(jobId);
      calls.length > 0;
      calls = await findCallsAwaitingApproval(jobId)
    ) {
      const { callId } = calls[0]!;
      await engine.driver.control(
        jobId,
        callId.endsWith('_2')
          ? { action: 'refuse', actor: 'ann', callId, reason: 'not this one' }
          : { action: 'approve', actor: 'ann', callId },
      );
      await engine.run(jobId);
    }
    const expected = await outcomeOf(jobId);
    expect(expected).toMatchObject({ status: 'completed' });
    expect(runs).toEqual(['a']);
    const events = await opened.store.readCorrelation(jobId);
    for (const type of ['PhaseStarted', 'ApprovalRequested', 'ApprovalGranted']) {
      const at = positionOf(events, type, type === 'PhaseStarted' ? 1 : 0);
      const fork = (await forksOf(engine).fork(
        jobId,
        { position: at, mode: 'recorded' },
        { actor: { id: 'spec', kind: 'process' } },
      ))!.jobId;
      await engine.run(fork);
      expect(await outcomeOf(fork), `forked at ${type}`).toEqual(expected);
    }
    expect(runs).toEqual(['a']);
  });

  it('repeats the summaries of a long conversation and their costs', async () => {
    const { options } = createOutsideTool();
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
      ...options.agent,
      context: { keepResults: 5, clearTokens: 12_000, summariseTokens: 2_000, todoList: 'after-system' as const },
    };
    const engine = new Engine({ store: opened.store, policy, ...options, agent });
    const jobId = await engine.submit();
    await engine.run(jobId);
    const expected = await outcomeOf(jobId);
    const events = await opened.store.readCorrelation(jobId);
    const summaries = events.filter(({ type }) => type === 'ConversationSummarised');
    expect(summaries.length).toBeGreaterThan(0);
    for (const at of [positionOf(events, 'PhaseStarted', 1), summaries[0]!.position - 1, summaries[0]!.position]) {
      const fork = (await forksOf(engine).fork(
        jobId,
        { position: at, mode: 'recorded' },
        { actor: { id: 'spec', kind: 'process' } },
      ))!.jobId;
      await engine.run(fork);
      expect(await outcomeOf(fork)).toEqual(expected);
    }
  });

  it('repeats long results stored as files and cleared results, from any position', async () => {
    const { runs, options } = createOutsideTool();
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
    const told: [string, object][] = [
      ['tell_pure', { times: 2_000 }],
      ['tell_idempotent', { times: 150 }],
      ['tell_pure', { times: 150 }],
      ['tell_idempotent', { times: 200 }],
      ['read_file', { path: 'tool_results/call_2_1_1.txt' }],
    ];
    const policy = createThreePhasePolicy((request) => {
      const next = told[parsePrompt(request).turn];
      return next ? call(...next) : call('todo_complete');
    });
    const domain = ['tell_pure', 'tell_idempotent'];
    const agent = {
      tools: { ...options.agent.tools, domain },
      context: { keepResults: 1, clearTokens: 500, summariseTokens: 80_000, todoList: 'after-system' as const },
    };
    const engine = new Engine({ store: opened.store, policy, packs: [long], agent });
    const jobId = await engine.submit();
    await engine.run(jobId);
    const expected = await outcomeOf(jobId);
    expect(expected.status).toBe('completed');
    expect(Object.keys(expected.files ?? {}).filter((path) => path.startsWith('tool_results/'))).toEqual([
      'tool_results/call_2_1_1.txt',
      'tool_results/call_2_2_1.txt',
      'tool_results/call_2_4_1.txt',
    ]);
    const ran = runs.length;
    const events = await opened.store.readCorrelation(jobId);
    const inPhase = events.filter(({ streamId }) => streamId === phaseStream(jobId, 2));
    for (const { position } of inPhase.filter(({ type }) => type !== 'PhaseCompleted')) {
      const fork = (await forksOf(engine).fork(
        jobId,
        { position: position, mode: 'recorded' },
        { actor: { id: 'spec', kind: 'process' } },
      ))!.jobId;
      await engine.run(fork);
      expect(await outcomeOf(fork), `forked at ${position}`).toEqual(expected);
    }
    expect(runs).toHaveLength(ran);
  });

  it('repeats a failure', async () => {
    const parent = await playJob((request) =>
      parsePrompt(request).phase === 1 ? PLAN_ONE_TODO : { content: 'no more' },
    );
    const expected = await outcomeOf(parent.jobId);
    expect(expected.status).toBe('failed');
    const fork = await parent.fork({ position: positionOf(parent.events, 'PhaseDispatched'), mode: 'recorded' });
    await parent.engine.run(fork);
    expect(await outcomeOf(fork)).toEqual(expected);
  });

  it('fails where the recording ends', async () => {
    const { options } = createOutsideTool();
    const engine = new Engine({ store: opened.store, policy: fetchAndWrite, ...options });
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    await engine.deliver(engine.messages.shift()!, engine.worker(), engine.toolRunner());
    await engine.driver.advance(jobId);
    engine.messages.length = 0;
    const events = await opened.store.readCorrelation(jobId);
    const fork = (await forksOf(engine).fork(
      jobId,
      { position: positionOf(events, 'PhaseStarted'), mode: 'recorded' },
      { actor: { id: 'spec', kind: 'process' } },
    ))!.jobId;
    await engine.run(fork);
    expect(await outcomeOf(fork)).toMatchObject({ status: 'failed', phases: 2, failure: { code: 'not_recorded' } });
  });
});

describe('a fork with a live model', () => {
  it('matches recorded results by name and arguments in order, and refuses calls that were not recorded', async () => {
    const parent = await playJob();
    const runs = parent.runs.length;
    const other: Policy = createThreePhasePolicy((request) => {
      const { turn } = parsePrompt(request);
      if (turn === 0) return calls(['fetch', { what: 'b' }], ['fetch', { what: 'c' }]);
      return turn === 1 ? call('fetch', { what: 'b' }) : call('todo_complete');
    });
    const fork = await parent.fork({ position: positionOf(parent.events, 'PhaseStarted', 1), mode: 'live-model' });
    await parent.engine.run(fork, { worker: parent.engine.worker('worker', other) });
    expect(await outcomeOf(fork)).toMatchObject({ status: 'completed' });
    const ends = (await parent.engine.phaseEvents(fork, 2)).filter(({ type }) =>
      /ToolCall(Completed|Failed)/.test(type),
    );
    expect(ends.map(({ data }) => data['code'] ?? data['content'])).toEqual([
      'b at run 2',
      'not_recorded',
      'not_recorded',
      expect.stringContaining(''),
    ]);
    const files = (await travel.at(fork))!.files;
    expect(files['got/b.txt']).toEqual((await travel.at(parent.jobId))!.files['got/b.txt']);
    expect(files['got/a.txt']).toBeUndefined();
    expect(parent.runs.length).toBe(runs);
  });
});

describe('a live fork', () => {
  it('continues on its own and leaves the parent unchanged', async () => {
    const parent = await playJob();
    const before = await outcomeOf(parent.jobId);
    const fork = await parent.fork({ position: positionOf(parent.events, 'ToolCallCompleted', 2) });
    await parent.engine.run(fork);
    const after = await outcomeOf(fork);
    expect(after.status).toBe('completed');
    expect(after.files['output/a.md']).toBeDefined();
    expect(await outcomeOf(parent.jobId)).toEqual(before);
    expect((await opened.store.read(jobStream(fork)))[0]).toMatchObject({ type: 'JobForked', version: 1 });
  });

  it('uses an edited answer in place of the next one, at no cost', async () => {
    const parent = await playJob();
    // Position of the answer itself: a fork inside a commit starts before that commit, so this answer is replaced.
    const position = parent.events.filter(
      ({ type, streamId }) => type === 'ModelResponded' && streamId === phaseStream(parent.jobId, 2),
    )[1]!.position;
    const fork = await parent.fork({
      position,
      response: {
        content: 'Let me.',
        calls: [{ name: 'write_file', arguments: { path: 'output/a.md', content: 'mine' } }],
      },
    });
    const asked = parent.asked;
    await parent.engine.run(fork);
    const files = (await travel.at(fork))!.files;
    expect(new TextDecoder().decode(await opened.store.blobs.get(files['output/a.md']!.hash))).toBe('mine');
    expect(parent.asked - asked).toBe(2);
    expect((await outcomeOf(fork)).spending.costMicroUsd).toBe(
      (await outcomeOf(parent.jobId)).spending.costMicroUsd - 110,
    );
  });

  it('uses another model, agent and limits from its first step on', async () => {
    const parent = await playJob();
    const position = positionOf(parent.events, 'PhaseStarted', 1);
    const models = await parent.fork({ position, models: { tactical: 'bigger' }, limits: { steps: 7 } });
    const state = (await parent.engine.repository.loadPhase(models, 2))!;
    expect(state.start).toMatchObject({
      identity: { jobId: models },
      terms: { model: 'bigger', limits: { steps: 7, nudges: 3 } },
    });
    const job = (await parent.engine.repository.loadJob(models))!;
    expect(job.definition.agent.models).toEqual({ strategic: 'default', tactical: 'bigger' });
    const { definition } = (await parent.engine.repository.loadJob(parent.jobId)) as JobState;
    const agent = {
      ...definition.agent,
      name: 'other',
      deliverables: ['x.md'],
      limits: { ...definition.agent.limits, steps: 9 },
    };
    const other = await parent.fork({ position, definition: { ...definition, agent, agentHash: '1'.repeat(64) } });
    expect((await parent.engine.repository.loadPhase(other, 2))!.start).toMatchObject({
      identity: { agent: { name: 'other' } },
      terms: { limits: { steps: 9 } },
      plan: { deliverables: ['x.md'] },
    });
  });

  it('is refused where nothing can follow, and where there is no answer to replace', async () => {
    const parent = await playJob();
    await expect(parent.fork({ position: parent.events.at(-1)!.position })).rejects.toThrow(ForkRefused);
    const position = positionOf(parent.events, 'PhaseCompleted', 1);
    await expect(parent.fork({ position, response: { content: 'x', calls: [] } })).rejects.toThrow(
      /no phase was running/,
    );
    expect(
      await forksOf(parent.engine).fork(parent.jobId, { position: 0 }, { actor: { id: 'spec', kind: 'process' } }),
    ).toBeUndefined();
  });

  it('is dispatched by the reconciler when its message is lost', async () => {
    const parent = await playJob();
    const fork = await parent.fork({ position: positionOf(parent.events, 'ToolCallRequested', 2) });
    parent.engine.messages.length = 0;
    await parent.engine.reconciler.runPass((_stream, error) => {
      throw error;
    });
    await parent.engine.run(fork);
    expect((await outcomeOf(fork)).status).toBe('completed');
  });

  it('is created once per idempotency key', async () => {
    const parent = await playJob();
    const at = positionOf(parent.events, 'PhaseStarted', 1);
    const forks = forksOf(parent.engine);
    const first = await forks.fork(
      parent.jobId,
      { position: at, idempotencyKey: 'k' },
      { actor: { id: 'spec', kind: 'process' } },
    );
    expect(
      await forks.fork(parent.jobId, { position: at, idempotencyKey: 'k' }, { actor: { id: 'spec', kind: 'process' } }),
    ).toEqual({
      ...first,
      created: false,
    });
    await expect(
      forks.fork(
        parent.jobId,
        { position: at, idempotencyKey: 'k', mode: 'recorded' },
        { actor: { id: 'spec', kind: 'process' } },
      ),
    ).rejects.toThrow(/used before with another request/);
  });
});

describe('the lineage', () => {
  it('is verified by the hash of the last shared event', async () => {
    const parent = await playJob(createThreePhasePolicy(() => COMPLETE_JOB));
    const fork = await parent.fork({ position: positionOf(parent.events, 'PhaseStarted', 1) });
    const store = Object.create(opened.store) as typeof opened.store;
    store.read = async (streamId, options) =>
      (await opened.store.read(streamId, options)).map((event) =>
        streamId === jobStream(parent.jobId) ? { ...event, hash: 'f'.repeat(64) } : event,
      );
    await expect(new JobRepository(store).loadJob(fork)).rejects.toThrow(LineageBroken);
    expect((await parent.engine.repository.loadJob(fork))?.fork?.parent.jobId).toBe(parent.jobId);
  });
});
