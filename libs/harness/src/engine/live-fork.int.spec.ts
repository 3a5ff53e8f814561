import { describe, expect, it } from 'vitest';
import type { ChatRequest, JobId } from '@phaseline/contracts';
import { jobStream, phaseStream } from '@phaseline/domain';
import { JobRepository, LineageBroken } from '@phaseline/repository';
import { ForkRefused } from '@phaseline/time-travel';
import type { Engine, Policy } from './engine.js';
import { ORIGIN, positionOf, useForks } from './fork.fixture.js';
import { call, calls, COMPLETE_JOB, createThreePhasePolicy, parsePrompt } from './scripts.js';

const { opened, playJob, forksOf, forkJob, outcomeOf } = useForks();

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
    const files = (await outcomeOf(fork)).files;
    expect(files['got/b.txt']).toEqual((await outcomeOf(parent.jobId)).files['got/b.txt']);
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
    const asked = parent.seen.asked;
    await parent.engine.run(fork);
    const files = (await outcomeOf(fork)).files;
    expect(new TextDecoder().decode(await opened.store.blobs.get(files['output/a.md']!.hash))).toBe('mine');
    expect(parent.seen.asked - asked).toBe(2);
    expect((await outcomeOf(fork)).spending.costMicroUsd).toBe(
      (await outcomeOf(parent.jobId)).spending.costMicroUsd - 110,
    );
  });

  it('loses the settings that its new agent does not have', async () => {
    const settings = {
      promptTexts: { tactical: 'Work like a clerk.' },
      temperature: { tactical: 0.3 },
      reasoningEffort: { tactical: 'low' as const },
      settings: { documents: { chunkTokens: 500 } },
    };
    const requests: ChatRequest[] = [];
    const policy: Policy = (request, signal) => {
      if (parsePrompt(request).kind === 'tactical') requests.push(request);
      return createThreePhasePolicy()(request, signal);
    };
    const parent = await playJob(policy, { agent: settings });
    expect(requests.at(-1)).toMatchObject({ temperature: 0.3, reasoningEffort: 'low' });
    const { definition } = await parent.engine.loadJob(parent.jobId);
    const { promptTexts: _texts, temperature: _temperature, reasoningEffort: _effort, ...rest } = definition.agent;
    const agent = { ...rest, settings: {} };
    const position = positionOf(parent.events, 'PhaseStarted', 1);
    const fork = await parent.fork({ position, definition: { ...definition, agent } });
    await parent.engine.run(fork);
    const { terms } = (await parent.engine.loadPhase(fork, 2)).start;
    expect(terms).toMatchObject({ promptTexts: {}, temperature: {}, reasoningEffort: {}, settings: {} });
    const last = requests.at(-1)!;
    expect([last.temperature, last.reasoningEffort]).toEqual([undefined, undefined]);
    expect(last.messages[0]!.content).not.toContain('Work like a clerk.');
    expect((await parent.engine.loadJob(fork)).status).toBe('completed');
  });

  it('uses another model, agent and limits from its first step on', async () => {
    const parent = await playJob();
    const position = positionOf(parent.events, 'PhaseStarted', 1);
    const models = await parent.fork({ position, models: { tactical: 'bigger' }, limits: { steps: 7 } });
    const state = await parent.engine.loadPhase(models, 2);
    expect(state.start).toMatchObject({
      identity: { jobId: models },
      terms: { model: 'bigger', limits: { steps: 7, nudges: 3 } },
    });
    const job = await parent.engine.loadJob(models);
    expect(job.definition.agent.models).toEqual({ strategic: 'default', tactical: 'bigger' });
    const { definition } = await parent.engine.loadJob(parent.jobId);
    const agent = {
      ...definition.agent,
      name: 'other',
      deliverables: ['x.md'],
      limits: { ...definition.agent.limits, steps: 9 },
    };
    const other = await parent.fork({ position, definition: { ...definition, agent, agentHash: '1'.repeat(64) } });
    expect((await parent.engine.loadPhase(other, 2)).start).toMatchObject({
      identity: { agent: { name: 'other' } },
      terms: { limits: { steps: 9 } },
      plan: { deliverables: ['x.md'] },
    });
  });

  it('has the instructions of its agents with the task of the job, and tells the running phase', async () => {
    const readInstructions = async (engine: Engine, jobId: JobId, phase: number) => {
      const { hash } = (await engine.loadPhase(jobId, phase)).tree['instructions.md']!;
      return new TextDecoder().decode(await opened.store.blobs.get(hash));
    };
    const parent = await playJob();
    const { engine, jobId } = parent;
    const { definition } = await engine.loadJob(jobId);
    const before = await readInstructions(engine, jobId, 2);
    const position = positionOf(parent.events, 'PhaseStarted', 1);
    const instructions = { 'instructions.md': '# Write in blue\n' };
    const fork = await parent.fork({ position, definition, instructions });
    const written = await readInstructions(engine, fork, 2);
    expect(written).toBe(before.replace(/^[^]*?(?=\n\n## This job\n|$)/, '# Write in blue').trimEnd() + '\n');
    // The phases after it have the file too.
    const state = await engine.loadPhase(fork, 2);
    expect(JSON.stringify(state.conversation)).toContain('I wrote the file instructions.md');
    await engine.run(fork);
    expect(await readInstructions(engine, fork, 3)).toBe(written);
    // A fork between two phases, and one of the fork with other instructions.
    const between = await parent.fork({
      position: positionOf(parent.events, 'PhaseCompleted'),
      definition,
      instructions,
    });
    await engine.run(between);
    expect(await readInstructions(engine, between, 2)).toBe(written);
    const again = await forkJob(engine, between, {
      position: positionOf(await opened.store.readCorrelation(between), 'PhaseStarted'),
      definition,
      instructions: { 'instructions.md': '# Write in red\n' },
    });
    expect(await readInstructions(engine, again, 2)).toContain('# Write in red');
    // A recorded fork repeats what the model wrote with the instructions of its job.
    const recorded = await parent.fork({ position, definition, instructions, mode: 'recorded' });
    expect(await readInstructions(engine, recorded, 2)).toBe(before);
    // The same instructions change nothing.
    const own = before.replace(/\n## This job\n[^]*$/, '');
    const same = await parent.fork({ position, definition, instructions: { 'instructions.md': own } });
    expect((await opened.store.readCorrelation(same)).map(({ type }) => type)).not.toContain('FileWritten');
  });

  it('is refused where nothing can follow, and where there is no answer to replace', async () => {
    const parent = await playJob();
    await expect(parent.fork({ position: parent.events.at(-1)!.position })).rejects.toThrow(ForkRefused);
    const position = positionOf(parent.events, 'PhaseCompleted', 1);
    await expect(parent.fork({ position, response: { content: 'x', calls: [] } })).rejects.toThrow(
      /no phase was running/,
    );
    expect(await forksOf(parent.engine).fork(parent.jobId, { position: 0 }, ORIGIN)).toBeUndefined();
  });

  it('is dispatched by the reconciler when its message is lost', async () => {
    const parent = await playJob();
    const fork = await parent.fork({ position: positionOf(parent.events, 'ToolCallRequested', 2) });
    parent.engine.messages.length = 0;
    await parent.engine.reconcile();
    await parent.engine.run(fork);
    expect((await outcomeOf(fork)).status).toBe('completed');
  });

  it('is created once per idempotency key', async () => {
    const parent = await playJob();
    const at = positionOf(parent.events, 'PhaseStarted', 1);
    const forks = forksOf(parent.engine);
    const request = { position: at, idempotencyKey: 'k' };
    const first = await forks.fork(parent.jobId, request, ORIGIN);
    expect(await forks.fork(parent.jobId, request, ORIGIN)).toEqual({ ...first, created: false });
    await expect(forks.fork(parent.jobId, { ...request, mode: 'recorded' }, ORIGIN)).rejects.toThrow(
      /used before with another request/,
    );
  });
});

describe('the lineage', () => {
  it('is verified by the hash of the last shared event', async () => {
    const parent = await playJob(createThreePhasePolicy(() => COMPLETE_JOB));
    const fork = await parent.fork({ position: positionOf(parent.events, 'PhaseStarted', 1) });
    const store = Object.create(opened.store) as typeof opened.store;
    store.readAt = async (streamId, version) => {
      const event = await opened.store.readAt(streamId, version);
      return event && streamId === jobStream(parent.jobId) ? { ...event, hash: 'f'.repeat(64) } : event;
    };
    await expect(new JobRepository(store).loadJob(fork)).rejects.toThrow(LineageBroken);
    expect((await parent.engine.loadJob(fork)).fork?.parent.jobId).toBe(parent.jobId);
  });
});
