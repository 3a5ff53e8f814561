import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolPack } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import {
  call,
  DO_THE_TODO,
  calls,
  COMPLETE_JOB,
  PLAN_ONE_TODO,
  createThreePhasePolicy,
  parsePrompt,
} from './scripts.js';
import { offerTool } from './offer-tool.js';
import { recordCalls } from './record-calls.fixture.js';
import { useEngines } from './use-store.fixture.js';

const { opened, engine } = useEngines();

/** A remote tool that counts its runs outside the log. */
function countedTool(effect: 'pure' | 'once' = 'pure') {
  const runs: string[] = [];
  const options = offerTool({
    name: 'fetch',
    effect,
    timeoutMs: 5_000,
    input: z.object({ what: z.string().default('x'), broken: z.boolean().default(false) }),
    run: async (_context, { what, broken }) => {
      runs.push(what);
      if (broken) throw new ToolError('broken', 'it is broken');
      return {
        content: `got ${what}`,
        files: [{ path: `got/${what}.txt`, content: new TextEncoder().encode(what) }],
      };
    },
  });
  return { runs, ...options };
}

describe('a job', () => {
  it('is planned, executed and completed, each phase with its own conversation', async () => {
    const seen: number[] = [];
    const subject = engine(
      createThreePhasePolicy((request) => {
        seen.push(request.messages.length);
        return parsePrompt(request).turn === 0
          ? call('write_file', { path: 'output/a.md', content: 'made' })
          : DO_THE_TODO;
      }),
      { agent: { deliverables: ['output/a.md'] } },
    );
    const jobId = await subject.submitAndRun();
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'completed',
      phases: 3,
      spending: { steps: 4 },
    });
    expect(seen).toEqual([3, 5]);
    const tree = (await subject.loadPhase(jobId, 3)).tree;
    expect(Object.keys(tree).sort()).toEqual([
      'archive/phase_002.md',
      'instructions.md',
      'output/a.md',
      'workspace.md',
    ]);
  });

  it('commits a step of inline tools in one append: answer, calls, files, results and the next model call', async () => {
    let appends = 0;
    const store = recordCalls(opened.store, (method) => {
      if (method === 'append') appends += 1;
    });
    const subject = engine(
      createThreePhasePolicy((request) =>
        parsePrompt(request).turn < 10
          ? call('write_file', { path: 'a.md', content: String(parsePrompt(request).turn) })
          : DO_THE_TODO,
      ),
      { store },
    );
    await subject.submitAndRun();
    // 3 phases with 10 + 1 + 1 + 1 steps, one append per phase that reserves its first call, the submission and 4 decisions.
    expect(appends).toBe(13 + 3 + 1 + 4);
  });

  it('denies and records a call of a tool that the phase does not offer', async () => {
    const subject = engine(
      createThreePhasePolicy([calls(['job_complete', { summary: 's', confidence: 1 }], ['todo_write', { todos: [] }])]),
    );
    const jobId = await subject.submitAndRun();
    const denied = (await subject.phaseEvents(jobId, 2)).filter((event) => event.type === 'ToolCallDenied');
    expect(denied.map((event) => [event.data['name'], event.data['code']])).toEqual([
      ['job_complete', 'not_offered'],
      ['todo_write', 'not_offered'],
    ]);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('keeps a strategic phase open until the plan is valid, and gives the model the reason', async () => {
    const answers = [call('write_file', { path: 'todos.yaml', content: 'todos: [' }), DO_THE_TODO, PLAN_ONE_TODO];
    const seen: string[] = [];
    const subject = engine((request, signal) => {
      const { phase, turn, last } = parsePrompt(request);
      if (phase === 1) {
        seen.push(last);
        return answers[turn]!;
      }
      return createThreePhasePolicy()(request, signal);
    });
    const jobId = await subject.submitAndRun();
    expect(seen[2]).toContain('not valid YAML');
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('does not accept old todos as a new plan', async () => {
    const subject = engine(
      (request) => {
        const { phase, kind } = parsePrompt(request);
        if (kind === 'tactical') return DO_THE_TODO;
        return phase === 1 ? PLAN_ONE_TODO : DO_THE_TODO;
      },
      { agent: { limits: { gateRejections: 1 } } },
    );
    const jobId = await subject.submitAndRun();
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'failed',
      failure: { code: 'gate_rejected' },
    });
  });

  it('nudges a model that makes no calls, retries the phase, and fails with a reason', async () => {
    const subject = engine(() => ({ content: 'I am thinking about it.' }), {
      agent: { limits: { nudges: 2 } },
    });
    const jobId = await subject.submitAndRun();
    expect((await subject.eventTypes(jobId, 1)).filter((type) => type === 'PhaseNudged')).toHaveLength(2);
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'failed',
      phases: 2,
      failure: { code: 'stopped_early', message: expect.stringContaining('2 attempts') },
    });
  });

  it('never spends more than its cap', async () => {
    const subject = engine(
      createThreePhasePolicy(() => call('write_file', { path: 'a.md', content: 'x' })),
      { pricePerMillion: 1_000 },
    );
    const jobId = await subject.submitAndRun({ budgets: { maxCostUsd: 3 } });
    const job = await subject.repository.loadJob(jobId);
    expect(job).toMatchObject({ status: 'aborted', failure: { code: 'cost_limit' } });
    expect(job!.spending.costMicroUsd).toBeLessThanOrEqual(3_000_000);
    expect(job!.spending.steps).toBeGreaterThan(2);
  });
});

describe('tool calls', () => {
  it('run in parallel when adjacent, and delay a following inline call until they have ended', async () => {
    const tools = countedTool();
    const subject = engine(
      createThreePhasePolicy([
        calls(
          ['fetch', { what: 'a' }],
          ['fetch', { what: 'b' }],
          ['read_file', { path: 'got/a.txt' }],
          ['fetch', { what: 'c' }],
        ),
      ]),
      tools,
    );
    const jobId = await subject.submitAndRun();
    expect(tools.runs.sort()).toEqual(['a', 'b', 'c']);
    const [answer] = (await subject.loadPhase(jobId, 2)).conversation.transcript;
    expect(answer).toMatchObject({
      results: { call_2_1_1: 'got a', call_2_1_2: 'got b', call_2_1_3: 'a', call_2_1_4: 'got c' },
    });
  });

  it('do not complete a todo after a failed call', async () => {
    const tools = countedTool();
    const subject = engine(createThreePhasePolicy([calls(['fetch', { broken: true }], ['todo_complete'])]), tools);
    const jobId = await subject.submitAndRun();
    const failed = (await subject.phaseEvents(jobId, 2)).filter((event) => event.type === 'ToolCallFailed');
    expect(failed.map((event) => event.data['code'])).toEqual(['broken', 'after_failed_call']);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('are recorded once, however often their messages are delivered', async () => {
    const tools = countedTool();
    const subject = engine(createThreePhasePolicy([calls(['fetch', { what: 'a' }], ['fetch', { what: 'b' }])]), tools);
    const jobId = await subject.submit();
    await subject.run(jobId, { deliveries: 3 });
    const ends = (await subject.phaseEvents(jobId, 2)).filter(
      (event) => event.type === 'ToolCallCompleted' && String(event.data['content']).startsWith('got'),
    );
    expect(ends.map((event) => event.data['callId']).sort()).toEqual(['call_2_1_1', 'call_2_1_2']);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('with effect once are not repeated after their process died', async () => {
    const tools = countedTool('once');
    let dying = true;
    const pack: ToolPack = {
      name: 'dying',
      tools: [
        {
          ...tools.packs[0]!.tools[0]!,
          run: async (...args: never[]) => {
            if (dying) {
              tools.runs.push('died');
              return new Promise(() => undefined);
            }
            return (tools.packs[0]!.tools[0]!.run as (...args: never[]) => Promise<never>)(...args);
          },
        } as never,
      ],
    };
    const subject = engine(createThreePhasePolicy([call('fetch', { what: 'a' })]), { ...tools, packs: [pack] });
    const jobId = await subject.submit();
    const worker = subject.worker();
    const first = subject.toolRunner('runner');
    await subject.runUntilToolCall(jobId, worker, first);
    const message = subject.messages.shift()!;
    // It never ends, and its time limit may pass when the database of this file is gone.
    subject.deliver(message, worker, first).catch(() => undefined);
    while (tools.runs.length === 0) await sleep(1);
    expect(await subject.deliver(message, worker, subject.toolRunner('second'))).toBe('owned-elsewhere');
    subject.alive.delete('runner');
    dying = false;
    await subject.deliver(message, worker, subject.toolRunner('second'));
    await subject.run(jobId);
    expect(tools.runs).toEqual(['died']);
    const [answer] = (await subject.loadPhase(jobId, 2)).conversation.transcript;
    expect(answer).toMatchObject({ results: { call_2_1_1: expect.stringContaining('unknown') } });
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('end with a cancelled job: open calls are closed and late messages are refused', async () => {
    const tools = countedTool();
    const subject = engine(createThreePhasePolicy([call('fetch', { what: 'a' })]), tools);
    const jobId = await subject.submit();
    const [worker, runner] = [subject.worker(), subject.toolRunner()];
    await subject.runUntilToolCall(jobId, worker, runner);
    const request = { action: 'cancel', actor: 'operator', reason: 'enough' } as const;
    expect(await subject.driver.control(jobId, request)).toEqual({ kind: 'recorded' });
    await subject.deliver(subject.messages.shift()!, worker, runner);
    expect(tools.runs).toEqual([]);
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'cancelled' });
    expect((await subject.loadPhase(jobId, 2)).calls.byId['call_2_1_1']).toMatchObject({
      status: 'failed',
    });
    expect(await subject.driver.control(jobId, request)).toMatchObject({ kind: 'refused' });
  });
});

describe('lost messages and processes', () => {
  const work = createThreePhasePolicy([call('fetch', { what: 'a' })]);

  it('the reconciler sends every lost message again from the log', async () => {
    const lost = new Set<string>();
    const tools = countedTool();
    const subject = engine(work, { ...tools, onSend: ({ id }) => lost.has(id) || !lost.add(id) });
    const jobId = await subject.submit();
    for (let round = 0; round < 20 && (await subject.loadJob(jobId)).status !== 'completed'; round += 1) {
      await subject.run(jobId);
      await subject.reconcile();
    }
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(tools.runs).toEqual(['a']);
    expect(lost.size).toBeGreaterThan(4);
  });

  it('the reconciler advances a job that was never decided', async () => {
    const subject = engine(work, countedTool());
    const jobId = await subject.submit();
    await subject.reconcile();
    expect((await subject.loadJob(jobId)).status).toBe('running');
  });

  it('another worker takes over from one lost during a model call, and the late answer is refused', async () => {
    const gate = Promise.withResolvers<void>();
    const subject = engine(createThreePhasePolicy());
    const jobId = await subject.submit();
    await subject.driver.advance(jobId);
    const slow = subject.worker('worker', async () => {
      await gate.promise;
      return PLAN_ONE_TODO;
    });
    const message = subject.messages.shift()!;
    const overtaken = subject.deliver(message, slow, subject.toolRunner());
    while (!(await subject.loadPhase(jobId, 1)).modelCall.open) await sleep(1);
    const second = subject.worker('second');
    expect(await subject.deliver(message, second, subject.toolRunner())).toBe('owned-elsewhere');
    subject.alive.delete('worker');
    subject.alive.add('second');
    expect(await subject.deliver(message, second, subject.toolRunner())).toBe('released');
    gate.resolve();
    expect(await overtaken).toBe('released');
    await subject.run(jobId, { worker: second });
    const events = await subject.eventTypes(jobId, 1);
    expect(events.filter((type) => type === 'PhaseTakenOver')).toHaveLength(1);
    expect(events.filter((type) => type === 'ModelResponded')).toHaveLength(1);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('concurrent decisions about the same job dispatch each phase once', async () => {
    const subject = engine(work, countedTool());
    const jobId = await subject.submit();
    await Promise.all(Array.from({ length: 8 }, () => subject.driver.advance(jobId)));
    expect(subject.messages).toHaveLength(1);
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).phases).toBe(3);
  });
});

describe('submitting', () => {
  it('returns the same job for the same key and refuses the key for another request', async () => {
    const subject = engine(() => COMPLETE_JOB);
    const idempotencyKey = crypto.randomUUID();
    const first = await subject.submit({ idempotencyKey, parameters: { a: 1, b: 2 } });
    expect(await subject.submit({ idempotencyKey, parameters: { b: 2, a: 1 } })).toBe(first);
    await expect(subject.submit({ idempotencyKey, parameters: { a: 2 } })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  it.each([
    ['an empty document', { name: 'a.md', content: new Uint8Array() }, /is empty/],
    [
      'a document that is too large',
      { name: 'a.md', content: new Uint8Array(32 * 1024 * 1024 + 1) },
      /at most 33554432 \(32 MiB\)/,
    ],
    [
      'a document whose name leaves the workspace',
      { name: '../../etc/passwd', content: new Uint8Array(1) },
      /leaves the workspace/,
    ],
  ])('refuses %s and stores nothing', async (_what, document, problem) => {
    const idempotencyKey = crypto.randomUUID();
    const subject = engine(() => COMPLETE_JOB);
    await expect(subject.submit({ idempotencyKey, documents: [document] })).rejects.toThrow(problem);
    await expect(subject.submit({ idempotencyKey })).resolves.toBeDefined();
  });
});

describe('arguments that almost fit', () => {
  it('are converted in both lanes, and unknown arguments are named in the result', async () => {
    const tool = countedTool();
    const subject = engine(
      createThreePhasePolicy((request) => {
        const { turn } = parsePrompt(request);
        if (turn === 0)
          return calls(
            ['write_file', { path: 'output/a.md', content: 7, mode: 'w' }],
            ['fetch', { what: 3, broken: 'false', depth: 2 }],
          );
        return DO_THE_TODO;
      }),
      { ...tool, agent: { ...tool.agent, deliverables: ['output/a.md'] } },
    );
    const jobId = await subject.submitAndRun();
    expect(tool.runs).toEqual(['3']);
    const log = await opened.store.readCorrelation(jobId);
    const ended = log.filter(({ type }) => type === 'ToolCallCompleted').map(({ data }) => String(data['content']));
    expect(ended.find((text) => text.startsWith('got 3'))).toBe('got 3\n[fetch has no argument "depth"; ignored.]');
    expect(ended.some((text) => text.endsWith('[write_file has no argument "mode"; ignored.]'))).toBe(true);
    const asked = log.filter(({ type }) => type === 'ToolCallRequested').map(({ data }) => data);
    expect(asked).toContainEqual(
      expect.objectContaining({
        name: 'fetch',
        arguments: { what: '3', broken: false, depth: 2 },
        ignoredArguments: ['depth'],
      }),
    );
  });
});
