import { workflowSchema, type Workflow } from '@phaseline/domain';
import { MAX_VERIFIER_STEP_MS, type JobId } from '@phaseline/contracts';
import { checksSpec } from '@phaseline/pack-specs';
import { contentHash } from '@phaseline/event-store';
import { implementPack, type ToolPack } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { Engine, type EngineOptions, type Policy, type Reply } from './engine.js';
import { call } from './scripts.js';
import { positionOf, useForks } from './fork.fixture.js';
import { runLosingProcesses } from './lost-processes.fixture.js';

const { opened, replay, outcomeOf } = useForks();

const WRITE_RESULT = 'Write work/result.txt.';

/** A workflow of one state. `checks` are those of its todo, `ofEnd` those of its outcome. */
const workflow = (checks: readonly object[], ofEnd: readonly object[] = []): Workflow =>
  workflowSchema.parse({
    name: 'one-state',
    version: 1,
    start: 'work',
    states: {
      work: {
        kind: 'strategic',
        title: 'Work',
        todos: [checks.length > 0 ? { content: WRITE_RESULT, checks } : WRITE_RESULT],
        finish: 'done',
        outcomes: { done: { end: 'completed', ...(ofEnd.length > 0 ? { checks: ofEnd } : {}) } },
      },
    },
  });

type Outcome = 'passed' | 'failed' | 'error';

/** A verifier whose outcomes are given, and the trees on which it ran. */
function createVerifier(
  outcomes: readonly Outcome[],
  changedInputs: readonly string[] = [],
): { readonly pack: ToolPack; readonly ran: string[][] } {
  const ran: string[][] = [];
  const pack = implementPack(checksSpec, {
    run_verifier: async ({ workspace }, { name }) => {
      const outcome = outcomes[ran.length] ?? 'passed';
      ran.push([name, ...Object.keys(workspace.tree).sort()]);
      const output = Buffer.from(`output of run ${ran.length}`);
      const hash = contentHash(output);
      return {
        content: outcome,
        blobs: [{ hash, content: output }],
        result: {
          outcome,
          reason: outcome === 'passed' ? '' : `run ${ran.length} found 1 failed test`,
          definition: '0'.repeat(64),
          changedInputs: [...changedInputs],
          output: { hash, size: output.length },
        },
      };
    },
  });
  return { pack, ran };
}

/** Position at which the first phase of a job began. */
async function positionOfStart(jobId: JobId): Promise<number> {
  return positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
}

interface Play {
  readonly checks?: readonly object[];
  /** Checks of the outcome of the phase. */
  readonly ofEnd?: readonly object[];
  readonly outcomes?: readonly Outcome[];
  /** Inputs that each run of a verifier finds changed. */
  readonly changedInputs?: readonly string[];
  /** Answers of the judge, in order. */
  readonly judge?: readonly string[];
  readonly agent?: EngineOptions['agent'];
  readonly replies?: readonly Reply[];
}

const write = (content: string): Reply => call('write_file', { path: 'work/result.txt', content });
const WRITE = write('one\n');
const CLAIM: Reply = call('todo_complete');

function play({
  checks = [],
  ofEnd = [],
  outcomes = [],
  changedInputs = [],
  judge = [],
  agent = {},
  replies = [WRITE, CLAIM],
}: Play) {
  const { pack, ran } = createVerifier(outcomes, changedInputs);
  const judged: string[] = [];
  const seen: string[] = [];
  let turn = 0;
  const policy: Policy = (request) => {
    const [first] = request.messages;
    if (first?.content.includes('"objection"')) {
      judged.push(request.messages.map(({ content }) => content).join('\n'));
      return { content: judge[judged.length - 1] ?? '{"objection": false, "reason": ""}' };
    }
    seen.push(request.messages.at(-1)?.content ?? '');
    return replies[turn++] ?? CLAIM;
  };
  const tools = { workspace: ['read_file', 'write_file'], strategic: ['todo_complete'], tactical: [], domain: [] };
  const engine = new Engine({
    store: opened.store,
    policy,
    packs: [pack],
    workflow: workflow(checks, ofEnd),
    agent: { tools, ...agent },
  });
  return { engine, ran, judged, seen };
}

describe('the claim of a todo that needs a verifier', () => {
  it('stays open until the verifier has ended on the claimed files, and is accepted with its run as evidence', async () => {
    const { engine, ran, seen } = play({ checks: [{ verifier: 'unit' }] });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(ran).toEqual([['unit', 'instructions.md', 'work/result.txt', 'workspace.md']]);
    const events = await engine.phaseEvents(jobId, 1);
    const types = events.map(({ type }) => type);
    expect(types.slice(types.indexOf('ClaimRaised'))).toEqual([
      'ClaimRaised',
      'ToolCallRequested',
      'ToolCallCompleted',
      'ClaimAccepted',
      'TodoCompleted',
      'ToolCallCompleted',
      'PhaseCompleted',
    ]);
    const run = events.findIndex(({ type, data }) => type === 'ToolCallCompleted' && data['callId'] === 'claim_1_1_1');
    expect(events.find(({ type }) => type === 'TodoCompleted')!.data['evidence']).toEqual([
      {
        check: { verifier: 'unit' },
        events: [{ streamId: `phase-${jobId}-1`, version: run + 1 }],
        files: [],
      },
    ]);
    const output = events[run]!.data['result'] as { output: { hash: string } };
    expect(Buffer.from((await opened.store.blobs.get(output.output.hash))!).toString()).toBe('output of run 1');
    // The model learns nothing of the run itself.
    expect(seen.join('\n')).not.toContain('output of run');
  });

  it('is refused with the reason, and accepted when a later run passes', async () => {
    const { engine, ran, seen } = play({ checks: [{ verifier: 'unit' }], outcomes: ['failed', 'error', 'passed'] });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(ran.length).toBe(3);
    expect(seen[2]).toContain('run 1 found 1 failed test');
    const types = (await engine.phaseEvents(jobId, 1)).map(({ type }) => type);
    expect(types.filter((type) => type === 'ClaimRefused').length).toBe(2);
    expect(types.filter((type) => type === 'ClaimAccepted').length).toBe(1);
  });

  it('needs the judge if inputs of the verifier were changed: its objection refuses, its agreement is evidence', async () => {
    const changedInputs = ['test/add.test.js'];
    const { engine, ran, judged, seen } = play({
      ...{ checks: [{ verifier: 'unit' }], changedInputs },
      judge: ['{"objection": true, "reason": "the test checks nothing"}'],
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect([ran.length, judged.length]).toEqual([2, 2]);
    expect(judged[0]).toContain('changed or deleted: test/add.test.js');
    expect(seen[2]).toMatch(/diff-review agrees to the changes of test\/add\.test\.js.*the test checks nothing/s);
    const events = await engine.phaseEvents(jobId, 1);
    const [evidence] = events.find(({ type }) => type === 'TodoCompleted')!.data['evidence'] as { events: unknown[] }[];
    expect(evidence!.events).toHaveLength(2);
    const failing = play({ checks: [{ verifier: 'unit' }], changedInputs, outcomes: ['failed', 'passed'] });
    await failing.engine.submitAndRun();
    expect([failing.ran.length, failing.judged.length]).toEqual([2, 1]);
  });

  it('gives each verifier as much time as any definition can ask for', async () => {
    const { engine } = play({ checks: [{ verifier: 'unit' }] });
    const jobId = await engine.submitAndRun();
    const requested = (await engine.phaseEvents(jobId, 1)).find(({ data }) => data['callId'] === 'claim_1_1_1')!;
    expect(requested.data['timeoutMs']).toBeGreaterThan(2 * MAX_VERIFIER_STEP_MS);
  });

  it('fails the phase after five refusals in a row', async () => {
    const { engine, ran } = play({
      checks: [{ verifier: 'unit' }],
      outcomes: Array.from({ length: 20 }, (): Outcome => 'failed'),
    });
    const jobId = await engine.submitAndRun();
    const job = await engine.loadJob(jobId);
    expect(job.status).toBe('failed');
    expect(job.failure?.message).toContain('found 1 failed test');
    // The state is retried once.
    expect(ran.length).toBe(10);
  });

  it('is raised again when a person changed a file before it was decided', async () => {
    const { engine, ran } = play({ checks: [{ verifier: 'unit' }] });
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    await engine.deliver(engine.messages.shift()!, engine.worker(), engine.toolRunner());
    expect(engine.messages.map(({ queue }) => queue)).toEqual(['tools']);
    const content = Buffer.from('by ann');
    const file = { hash: contentHash(content), size: content.length };
    await engine.driver.control(jobId, { action: 'edit-file', actor: 'ann', edit: { path: 'notes.txt', file } });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(ran.length).toBe(2);
  });

  it('is not asked for while another check fails', async () => {
    const { engine, ran } = play({
      checks: [{ verifier: 'unit' }, { file: { path: 'work/result.txt', minLines: 2 } }],
      replies: [WRITE, CLAIM, write('one\ntwo\n'), CLAIM],
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(ran.length).toBe(1);
  });

  it('is decided once, wherever workers and tool-runners are lost', async () => {
    const { engine, ran } = play({ checks: [{ verifier: 'unit' }, { verifier: 'lint' }] });
    const jobId = await runLosingProcesses(engine);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const types = (await engine.phaseEvents(jobId, 1)).map(({ type }) => type);
    expect(types.filter((type) => type === 'ClaimAccepted').length).toBe(1);
    expect(ran.map(([name]) => name).sort()).toEqual(['lint', 'unit']);
  });
});

describe('the end of a phase that needs a verifier', () => {
  it('waits for it, opens the last todo again when it is refused, and carries the run as evidence', async () => {
    const { engine, ran, seen } = play({
      ofEnd: [{ verifier: 'unit' }],
      outcomes: ['failed', 'passed'],
      replies: [WRITE, CLAIM, write('two\n'), CLAIM],
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(ran.length).toBe(2);
    expect(seen[2]).toContain('run 1 found 1 failed test');
    const events = await engine.phaseEvents(jobId, 1);
    const types = events.map(({ type }) => type);
    const refused = types.indexOf('ClaimRefused');
    expect(types.slice(refused - 3, refused + 2)).toEqual([
      'ClaimRaised',
      'ToolCallRequested',
      'ToolCallCompleted',
      'ClaimRefused',
      'TransitionRejected',
    ]);
    expect(events[refused + 1]!.data).toMatchObject({ gate: 'checks', refusedAt: refused + 1 });
    expect(types.slice(-2)).toEqual(['ClaimAccepted', 'PhaseCompleted']);
    expect(events.at(-1)!.data['evidence']).toMatchObject([{ check: { verifier: 'unit' } }]);
    expect(await replay(engine, jobId, await positionOfStart(jobId))).toMatchObject({ status: 'completed' });
    expect(ran.length).toBe(2);
  });

  it('fails the phase after the limit of refusals', async () => {
    const outcomes = Array.from({ length: 30 }, (): Outcome => 'failed');
    const replies = outcomes.flatMap((_, index) => [write(`${index}\n`), CLAIM]);
    const { engine } = play({ ofEnd: [{ verifier: 'unit' }], outcomes, replies });
    const jobId = await engine.submitAndRun();
    const { status, failure } = await engine.loadJob(jobId);
    expect([status, failure?.code]).toEqual(['failed', 'gate_rejected']);
  });

  it('is claimed again after a message of a person that arrived while the claim was open', async () => {
    const { engine, ran } = play({ ofEnd: [{ verifier: 'unit' }] });
    const jobId = await engine.submit();
    await engine.driver.advance(jobId);
    await engine.deliver(engine.messages.shift()!, engine.worker(), engine.toolRunner());
    expect(engine.messages.map(({ queue }) => queue)).toEqual(['tools']);
    await engine.driver.control(jobId, { action: 'steer', actor: 'ann', message: 'Write two lines, please.' });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(ran.length).toBe(2);
  });
});

describe('a judge', () => {
  it('sees the task and the changes, is paid for, and can only refuse', async () => {
    const { engine, judged } = play({
      checks: [{ judge: 'diff-review' }],
      judge: [
        'I think {"objection": true, "reason": "work/result.txt says nothing about the task."}',
        'no idea',
        '{"objection": false}',
      ],
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(judged.length).toBe(3);
    expect(judged[0]).toContain('Write work/result.txt.');
    expect(judged[0]).toContain('+one');
    const events = await engine.phaseEvents(jobId, 1);
    expect(events.filter(({ type }) => type === 'JudgeEnded').map(({ data }) => data['verdict'])).toEqual([
      'objection',
      'unreadable',
      'no-objection',
    ]);
    const { costMicroUsd } = (await engine.loadJob(jobId)).spending;
    const charged = events.flatMap(({ data }) =>
      typeof data['costMicroUsd'] === 'number' ? [data['costMicroUsd']] : [],
    );
    expect(costMicroUsd).toBe(charged.reduce((sum, cost) => sum + cost, 0));
    expect(events.filter(({ data }) => data['purpose'] === 'judge').length).toBe(3);
  });

  it('is asked only after the verifiers passed', async () => {
    const { engine, judged } = play({
      checks: [{ verifier: 'unit' }, { judge: 'diff-review' }],
      outcomes: ['failed', 'passed', 'passed'],
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(judged.length).toBe(1);
  });

  it('who cannot be paid ends the phase, and every call of it has a result', async () => {
    const usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 900, estimated: false };
    const { engine, judged } = play({
      checks: [{ judge: 'diff-review' }],
      replies: [
        { ...WRITE, usage },
        { ...CLAIM, usage },
      ],
    });
    const jobId = await engine.submitAndRun({ budgets: { maxTokens: 3_000 } });
    expect((await engine.loadJob(jobId)).failure?.code).toBe('token_limit');
    expect(judged).toEqual([]);
    const { calls } = await engine.loadPhase(jobId, 1);
    expect(Object.values(calls.byId).map(({ name, status }) => [name, status])).toEqual([
      ['todo_complete', 'failed'],
      ['run_judge', 'failed'],
    ]);
  });

  it('of an unknown profile or name refuses with the reason', async () => {
    const { engine, judged } = play({
      checks: [{ judge: 'strict' }],
      agent: { judges: { strict: { model: 'missing', instructions: 'Be strict.' } } },
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).failure?.message).toContain('no model profile named missing');
    expect(judged).toEqual([]);
  });
});

describe('a recorded fork', () => {
  it('repeats the decisions of verifiers and judges without running any', async () => {
    const { engine, ran, judged } = play({
      checks: [{ verifier: 'unit' }, { judge: 'diff-review' }],
      outcomes: ['failed'],
      judge: ['{"objection": true, "reason": "no"}'],
    });
    const jobId = await engine.submitAndRun();
    const before = [ran.length, judged.length];
    expect(await replay(engine, jobId, await positionOfStart(jobId))).toEqual(await outcomeOf(jobId));
    expect([ran.length, judged.length]).toEqual(before);
  });
});
