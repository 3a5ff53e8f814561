import { messageSpecs } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { Forks, TimeTravel } from '@phaseline/time-travel';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { scriptsPack } from '@phaseline/inline-packs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hashArgumentsOf } from './control.fixture.js';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { useStore } from './use-store.fixture.js';
import { call, DO_THE_TODO, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';
import { runLosingProcesses } from './lost-processes.fixture.js';

const opened = useStore();

/** Creates tools that record their runs. */
function createShop(): { readonly pack: ToolPack; readonly ran: string[] } {
  const ran: string[] = [];
  const tool = (name: string, effect: 'pure' | 'once') =>
    defineRemoteTool<{ id: number }>({
      name,
      description: 'A tool of the spec that tells a price.',
      input: z.object({ id: z.int().max(9) }),
      effect,
      timeoutMs: 5_000,
      run: async (_context, { id }) => {
        ran.push(`${name} ${id}`);
        return { content: `${id * 100}` };
      },
    });
  return { ran, pack: { name: 'shop', tools: [tool('price_of', 'pure'), tool('order_it', 'once')] } };
}

function engine(policy: Policy, pack: ToolPack, options: Partial<EngineOptions> = {}): Engine {
  const tools = {
    workspace: ['read_file', 'write_file'],
    strategic: ['todo_write', 'todo_complete', 'job_complete'],
    tactical: ['todo_complete'],
    domain: ['run_script', 'price_of', 'order_it'],
  };
  return new Engine({
    store: opened.store,
    policy,
    packs: [pack, scriptsPack],
    ...options,
    agent: { tools, ...options.agent },
  });
}

/** Policy whose tactical phase runs one script; `read` receives the results that the model sees. */
const script = (code: string, read: (text: string) => void = () => undefined): Policy =>
  createThreePhasePolicy((request) => {
    if (parsePrompt(request).turn === 0) return call('run_script', { code });
    read(
      request.messages
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => content)
        .join('\n'),
    );
    return DO_THE_TODO;
  });

const SUM = `
  const prices = await Promise.all([1, 2, 3].map((id) => tools.price_of({ id })));
  const sum = prices.map(Number).reduce((a, b) => a + b);
  await tools.write_file({ path: 'work/sum.txt', content: String(sum) });
  const back = await tools.read_file({ path: 'work/sum.txt' });
  return { sum, back: back.includes('600') };`;

describe('a script in a job', () => {
  it('calls tools of both lanes, each checked and recorded, and only its return value is in the conversation', async () => {
    const { pack, ran } = createShop();
    let seen = '';
    const subject = engine(
      script(SUM, (text) => (seen = text)),
      pack,
    );
    const jobId = await subject.submitAndRun();
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(seen).toBe('{\n "sum": 600,\n "back": true\n}');
    expect(ran.sort()).toEqual(['price_of 1', 'price_of 2', 'price_of 3']);
    const events = await subject.phaseEvents(jobId, 2);
    const nested = events.filter(({ type, data }) => type === 'ToolCallRequested' && data['parent'] === 'call_2_1_1');
    expect(nested.map(({ data }) => [data['callId'], data['name'], data['lane']])).toEqual([
      ['call_2_1_1_1', 'price_of', 'remote'],
      ['call_2_1_1_2', 'price_of', 'remote'],
      ['call_2_1_1_3', 'price_of', 'remote'],
      ['call_2_1_1_4', 'write_file', 'inline'],
      ['call_2_1_1_5', 'read_file', 'inline'],
    ]);
    const { conversation, tree } = await subject.loadPhase(jobId, 2);
    const results = conversation.transcript.flatMap((entry) =>
      entry.kind === 'answer' ? Object.keys(entry.results ?? {}) : [],
    );
    expect(results).not.toContain('call_2_1_1_1');
    expect(tree['work/sum.txt']).toBeDefined();
  });

  it('continues from the log in another worker, wherever the previous one was lost, and runs no call twice', async () => {
    const { pack, ran } = createShop();
    let seen = '';
    const subject = engine(
      script(
        `await tools.order_it({ id: 1 }); const p = await tools.price_of({ id: 2 }); await tools.order_it({ id: 3 }); return p;`,
        (text) => (seen = text),
      ),
      pack,
    );
    const jobId = await runLosingProcesses(subject);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(seen).toBe('200');
    expect(ran).toEqual(['order_it 1', 'price_of 2', 'order_it 3']);
  });

  it('waits for a person if a tool that it calls needs approval, and receives a refusal as an error', async () => {
    for (const allowed of [true, false]) {
      const { pack, ran } = createShop();
      let seen = '';
      const subject = engine(
        script(
          `try { return await tools.order_it({ id: 4 }) } catch (e) { return 'caught ' + e.message }`,
          (text) => (seen = text),
        ),
        pack,
        { agent: { approvals: { tools: ['order_it'], expireAfterMs: 60_000 } } },
      );
      const jobId = await subject.submitAndRun();
      expect(ran).toEqual([]);
      const phase = await subject.loadPhase(jobId, 2);
      expect(phase.calls.byId['call_2_1_1_1']).toMatchObject({ status: 'awaiting-approval', parent: 'call_2_1_1' });
      const callId = 'call_2_1_1_1';
      const argumentsHash = await hashArgumentsOf(subject, jobId, callId);
      await subject.driver.control(
        jobId,
        allowed
          ? { action: 'approve', actor: 'Ann', callId, argumentsHash }
          : { action: 'refuse', actor: 'Ann', callId, reason: 'too dear' },
      );
      await subject.run(jobId);
      expect((await subject.loadJob(jobId)).status).toBe('completed');
      expect(seen).toBe(allowed ? '400' : 'caught Call denied: too dear');
      expect(ran).toEqual(allowed ? ['order_it 4'] : []);
    }
  });

  it('cannot call tools that are not offered, itself, or tools reserved for the agent', async () => {
    const { pack, ran } = createShop();
    let seen = '';
    const code = `
      const said = [];
      for (const [name, args] of [['run_script', { code: '1' }], ['todo_complete', {}], ['job_complete', { summary: 'x', confidence: 1 }], ['todo_write', { todos: [] }], ['nothing_like_it', {}], ['price_of', { id: 'one' }], ['constructor', {}], ['price_of', { id: 10 }]])
        try { said.push(name + ' ran: ' + await tools[name](args)); } catch (e) { said.push(name + ': ' + e.message.slice(0, 60)); }
      for (let i = 0; i < 12; i += 1) await tools.nothing_like_it({}).catch(() => 0);
      return said.join('\\n');`;
    const subject = engine(
      script(code, (text) => (seen = text)),
      pack,
    );
    const jobId = await subject.submitAndRun();
    const lines = seen.split('\n');
    expect(lines).toHaveLength(8);
    for (const line of lines) expect(line).toContain(': Call denied');
    expect(ran).toEqual([]);
    const events = await subject.phaseEvents(jobId, 2);
    expect(events.filter(({ type }) => type === 'TodoCompleted')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'ToolCallDenied')).toHaveLength(20);
    // Denied calls of a script do not count against the model, so the phase did not end.
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('that fails is a failed call, and the next call waits until it has ended', async () => {
    const { pack, ran } = createShop();
    let seen = '';
    const policy = createThreePhasePolicy((request) => {
      if (parsePrompt(request).turn === 0)
        return calls(['run_script', { code: `await tools.price_of({ id: 1 });\nnull.x` }], ['price_of', { id: 2 }]);
      seen = request.messages
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => content)
        .join('\n');
      return DO_THE_TODO;
    });
    const subject = engine(policy, pack);
    const jobId = await subject.submitAndRun();
    expect(seen).toMatch(/^TypeError: .*\(line 2\)\n200$/);
    expect(ran).toEqual(['price_of 1', 'price_of 2']);
    const events = await subject.phaseEvents(jobId, 2);
    expect(events.find(({ type }) => type === 'ToolCallFailed')?.data).toMatchObject({ code: 'script_failed' });
  });

  it('continues when the approval of its call expires, and is closed with its calls when the job is cancelled', async () => {
    const { pack } = createShop();
    const waiting = engine(script(`return await tools.order_it({ id: 4 }).catch((e) => e.message)`), pack, {
      agent: { approvals: { tools: ['order_it'], expireAfterMs: 60_000 } },
    });
    const late = await waiting.submit();
    await waiting.run(late);
    waiting.advanceTime(61_000);
    await waiting.run(late);
    const events = await waiting.phaseEvents(late, 2);
    expect(events.find(({ type }) => type === 'ApprovalRefused')?.data).toMatchObject({
      callId: 'call_2_1_1_1',
      actor: 'timer',
    });
    expect((await waiting.repository.loadJob(late))!.status).toBe('completed');
    const stopped = await waiting.submit();
    await waiting.run(stopped);
    await waiting.driver.control(stopped, { action: 'cancel', actor: 'Ann', reason: 'enough' });
    await waiting.run(stopped);
    const closed = (await waiting.phaseEvents(stopped, 2)).filter(({ type }) => type === 'ToolCallFailed');
    expect(closed.map(({ data }) => data['callId']).sort()).toEqual(['call_2_1_1', 'call_2_1_1_1']);
    expect((await waiting.repository.loadJob(stopped))!.status).toBe('cancelled');
  });

  it('is repeated by a recorded fork from any of its events, with its files and without running a tool', async () => {
    const { pack, ran } = createShop();
    const subject = engine(script(SUM), pack);
    const jobId = await subject.submitAndRun();
    const pool = createPool(opened.url, { max: 2, applicationName: 'spec' });
    const travel = new TimeTravel(opened.store, pool);
    const forks = new Forks({
      store: opened.store,
      repository: subject.repository,
      travel,
      sender: {
        send: async (queue, payload) =>
          void subject.messages.push({ queue, payload, id: messageSpecs[queue].id(payload) } as never),
      },
      clock: { now: () => new Date() },
    });
    const outcome = async (job: string) => {
      const { job: state, files, spending } = (await travel.at(job))!;
      // The end of a fork is its own event, so its file has another time.
      const { 'output/completion.json': completion, ...recorded } = files;
      return { status: state.status, files: recorded, completion: completion?.hash, spending };
    };
    const expected = await outcome(jobId);
    const events = await opened.store.readCorrelation(jobId);
    const nested = events.filter(({ data }) => (data as { parent?: string }).parent !== undefined);
    const done = ran.length;
    for (const { position } of [events[3]!, nested[0]!, nested.at(-1)!]) {
      const fork = (await forks.fork(
        jobId,
        { position: position, mode: 'recorded' },
        { actor: { id: 'spec', kind: 'process' } },
      ))!.jobId;
      await subject.run(fork);
      expect(await outcome(fork), `forked at ${position}`).toEqual(expected);
    }
    expect(ran).toHaveLength(done);
    await pool.end();
  });
});
