import { verifyClaims } from '@phaseline/audit';
import { createPool } from '@phaseline/event-store';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import { positionOf, useForks } from './fork.fixture.js';
import { calls } from './scripts.js';
import {
  codeAndTest,
  coder,
  createAgentSource,
  defineAgent,
  playScript,
  REPORT,
  returnOnly,
  tester,
  workAndReturn,
  write,
  type Script,
} from './state-agents.fixture.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();
const play = (script: Script, agents?: Parameters<typeof playScript>[2]) => playScript(opened.store, script, agents);

const CODED = workAndReturn(write('work/result.txt', 'one\n'), {
  summary: 'wrote one',
  artifacts: ['work/result.txt'],
});
const PASSED = calls(
  ['read_file', { path: 'work/result.txt' }],
  ['phase_return', { result: { summary: 'it is one' } }],
);

describe('a workflow whose states name agents', () => {
  it('runs each phase with the instructions, tools and name of its agent, and hands on what it returned', async () => {
    const { engine, prompts } = play({ 1: [CODED], 2: [PASSED], 3: REPORT });
    const jobId = await engine.submitAndRun({ instructions: 'Make it one.' });
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const starts = await Promise.all([1, 2, 3].map(async (phase) => (await engine.loadPhase(jobId, phase)).start));
    expect(starts.map(({ identity }) => [identity.state, identity.agent.name, identity.isSubagent])).toEqual([
      ['code', 'coder', true],
      ['test', 'tester', true],
      ['report', 'lead', undefined],
    ]);
    expect(starts.map(({ terms }) => terms.tools.includes('phase_return'))).toEqual([true, true, false]);
    const texts = await Promise.all(
      starts.map(async ({ workspace }) =>
        Buffer.from((await opened.store.blobs.get(workspace.tree['instructions.md']!.hash))!).toString(),
      ),
    );
    expect(texts.map((text) => text.split('\n')[0])).toEqual(['Write code.', 'Test code.', 'Lead the work.']);
    expect(texts.every((text) => text.includes('## This job\n\nMake it one.'))).toBe(true);
    expect(starts.map(({ plan }) => plan.received)).toEqual([
      undefined,
      {
        ...{ phase: 1, agent: 'coder', state: 'code', outcome: 'coded' },
        result: { summary: 'wrote one', artifacts: ['work/result.txt'] },
      },
      { phase: 2, agent: 'tester', state: 'test', outcome: 'passed', result: { summary: 'it is one' } },
    ]);
    expect(prompts.get(1)![0]).toContain('## How this phase ends');
    expect(prompts.get(1)![0]).toContain('- impossible (may be returned while todos are open)');
    // The next agent sees the return, and nothing else of the conversation.
    expect(prompts.get(2)![0]).toContain('"summary":"wrote one"');
    expect(prompts.get(3)![0]).toContain('"summary":"it is one"');
    expect(prompts.get(3)![0]).not.toContain('wrote one');
  });

  it('records what one agent hands over to the next, also without a loop over items', async () => {
    const workflow = codeAndTest({ code: { outcomes: { coded: { to: 'test', handoff: {} } } } });
    const { engine } = play({ 1: [CODED], 2: [PASSED], 3: REPORT }, createAgentSource({ workflow }));
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const events = (await opened.store.readCorrelation(jobId)).filter(({ type }) => type.startsWith('Handoff'));
    expect(events.map(({ type }) => type)).toEqual(['HandoffIssued', 'HandoffAccepted', 'HandoffCompleted']);
    expect(events[0]!.data).toMatchObject({ from: 'coder', agent: 'tester', artifacts: ['work/result.txt'] });
  });

  it('ends with outcomes that the audit derives again, whatever files decided about them', async () => {
    const one = { file: { path: 'work/result.txt', matches: 'one' } };
    const workflow = codeAndTest({
      test: {
        outcomes: {
          passed: { to: 'report' },
          // Chosen without the text of the file, and refused with it.
          odd: { to: 'code', when: [{ not: one }] },
          failed: { to: 'code', when: 'returned', checks: [{ file: { path: 'instructions.md', matches: 'Test' } }] },
        },
      },
    });
    const failed = calls(
      ['read_file', { path: 'work/result.txt' }],
      ['phase_return', { outcome: 'failed', result: { summary: 'not two' } }],
    );
    const script = { 1: [CODED], 2: [failed], 3: [CODED], 4: [PASSED], 5: REPORT };
    const { engine } = play(script, createAgentSource({ workflow }));
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    const pool = createPool(opened.url, { max: 1 });
    const { claims, derived, problems } = await verifyClaims(pool, { correlationId: jobId });
    await pool.end();
    expect([problems, derived]).toEqual([[], claims]);
  });

  it('follows the outcome that a return names', async () => {
    const failed = calls(
      ['read_file', { path: 'work/result.txt' }],
      ['phase_return', { outcome: 'failed', result: { summary: 'it is not two', defects: ['one instead of two'] } }],
    );
    const { engine, prompts } = play({ 1: [CODED], 2: [failed], 3: [CODED], 4: [PASSED], 5: REPORT });
    const jobId = await engine.submitAndRun();
    const job = await engine.loadJob(jobId);
    expect([job.status, job.phases]).toEqual(['completed', 5]);
    expect(prompts.get(3)![0]).toContain('one instead of two');
  });

  it('ends as blocked, with a code and the items that the return names, and continues when it is retried', async () => {
    const impossible = returnOnly(
      { summary: 'cannot', defects: [{ id: 'f1', reason: 'no compiler' }, 'no network'] },
      'impossible',
    );
    const { engine } = play({ 1: [impossible], 2: [CODED], 3: [PASSED], 4: REPORT });
    const jobId = await engine.submitAndRun();
    const job = await engine.loadJob(jobId);
    expect(job.status).toBe('blocked');
    expect(job.failure).toEqual({
      code: 'task_impossible',
      end: 'blocked',
      message: 'the outcome impossible of code blocks the job: f1; no network',
      items: [{ id: 'f1', reason: 'no compiler' }, { reason: 'no network' }],
    });
    expect((await engine.loadPhase(jobId, 1)).todos.list[0]!.status).toBe('open');
    expect(await requestControl(engine, jobId, { action: 'retry', reason: 'a compiler is installed' })).toEqual({
      kind: 'recorded',
    });
    await engine.run(jobId);
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect((await engine.loadPhase(jobId, 2)).start.identity.state).toBe('code');
  });

  it.each([
    ['a result that its schema does not allow', { sum: 'x' }, /does not fulfil its schema: .*summary/],
    [
      'a result above its limit',
      {
        summary: Array(1_500).fill('word').join(' ').slice(0, 1_900),
        defects: Array.from({ length: 300 }, (_, n) => `defect ${n}`),
      },
      /has \d+ tokens; at most 1000/,
    ],
    [
      'a result that is too long to be counted',
      { summary: 'x', defects: Array.from({ length: 40 }, () => ' '.repeat(1_999)) },
      /has 8\d{4} characters; at most 1000 tokens/,
    ],
    [
      'a log',
      { summary: Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n') },
      /\/summary is longer than 20 lines/,
    ],
    [
      'more than five files',
      { summary: 'x', artifacts: ['a', 'b', 'c', 'd', 'e', 'f'] },
      /'artifacts' lists 6 files; at most 5/,
    ],
    ['a file that does not exist', { summary: 'x', artifacts: ['work/none.txt'] }, /do not exist: work\/none\.txt/],
  ])('refuses %s', async (_what, result, expected) => {
    const { engine, prompts } = play({
      1: [calls(write('work/result.txt', 'one\n'), ['phase_return', { result }]), CODED],
      2: [PASSED],
      3: REPORT,
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(prompts.get(1)![1]).toMatch(expected);
  });

  it('refuses an outcome that the state does not have, a return without work, and one before the todos are done', async () => {
    const two = codeAndTest({ code: { todos: ['First.', 'Second.'] } });
    const { engine, prompts } = play(
      {
        1: [
          returnOnly({ summary: 'x' }, 'perfect'),
          returnOnly({ summary: 'x' }),
          calls(write('work/result.txt', 'one\n'), ['todo_complete']),
          returnOnly({ summary: 'no work on the second todo' }),
          CODED,
        ],
        2: [PASSED],
        3: REPORT,
      },
      createAgentSource({ workflow: two }),
    );
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(prompts.get(1)![1]).toContain("There is no outcome 'perfect' to return. Known: coded, impossible.");
    expect(prompts.get(1)![2]).toContain('2 todos are open. Complete them first.');
    expect(prompts.get(1)![4]).toContain('Todo 2 is not done');
  });

  it('does not end a phase whose todos are done before its result was returned', async () => {
    const { engine, prompts } = play({
      1: [
        calls(write('work/result.txt', 'one\n'), ['todo_complete']),
        { content: 'Finished.' },
        returnOnly({ summary: 'x' }),
      ],
      2: [PASSED],
      3: REPORT,
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(prompts.get(1)![1]).toContain('NEXT: all todos are done. End the phase with phase_return.');
    expect(prompts.get(1)![2]).toContain('the phase ends with its return. Call phase_return');
  });

  it('is refused when an agent is missing, returns nothing, or brings a file that another one has with other content', async () => {
    const hash = '0'.repeat(64);
    const file = (content: string) => [{ path: 'skills/a/SKILL.md', content: Buffer.from(content) }];
    const agents = [
      { definition: coder, hash, instructions: 'C', files: file('one') },
      { definition: tester, hash, instructions: 'T', files: file('two') },
    ];
    const submit = (changes: Parameters<typeof createAgentSource>[0]) =>
      play({}, createAgentSource(changes)).engine.submit();
    await expect(submit({ agents: [] })).rejects.toThrow('the state code names the agent coder, which was not found');
    await expect(submit({ agents: [{ ...agents[0]!, definition: defineAgent('coder') }, agents[1]!] })).rejects.toThrow(
      "which does not say what it returns; add 'returns' to its agent.yaml",
    );
    await expect(submit({ agents })).rejects.toThrow('coder and tester have different files skills/a/SKILL.md');
  });
});

describe('outcomes by value', () => {
  const byValue = codeAndTest({
    test: {
      outcomes: {
        empty: { to: 'code', when: [{ file: { path: 'work/result.txt', maxLines: 0 } }] },
        wrong: { to: 'code', when: [{ not: { file: { path: 'work/result.txt', matches: '^two$' } } }] },
        passed: { to: 'report' },
      },
    },
  });

  it('are chosen by their checks, whatever the return says, and the evidence of the end contains them', async () => {
    const TWO = workAndReturn(write('work/result.txt', 'two\n'), { summary: 'wrote two' });
    const { engine } = play(
      { 1: [CODED], 2: [PASSED], 3: [TWO], 4: [PASSED], 5: REPORT },
      createAgentSource({ workflow: byValue }),
    );
    const jobId = await engine.submitAndRun();
    const job = await engine.loadJob(jobId);
    expect([job.status, job.phases]).toEqual(['completed', 5]);
    const ends = await Promise.all([2, 4].map(async (phase) => (await engine.phaseEvents(jobId, phase)).at(-1)!.data));
    expect(ends.map(({ outcome }) => outcome)).toEqual(['wrong', 'passed']);
    expect(ends[0]!['evidence']).toMatchObject([{ check: { not: { file: { path: 'work/result.txt' } } } }]);
  });
});

describe('a fork of a job whose states name agents', () => {
  const forks = useForks();

  it('repeats its phases and returns when it is recorded, without a model', async () => {
    const { engine, prompts } = playScript(forks.opened.store, { 1: [CODED], 2: [PASSED], 3: REPORT });
    const jobId = await engine.submitAndRun();
    const position = positionOf(await forks.opened.store.readCorrelation(jobId), 'PhaseStarted');
    const asked = [...prompts.values()].flat().length;
    const fork = await forks.forkJob(engine, jobId, { position, mode: 'recorded' });
    await engine.run(fork);
    expect([...prompts.values()].flat()).toHaveLength(asked);
    expect(await forks.outcomeOf(fork)).toEqual(await forks.outcomeOf(jobId));
    expect((await engine.loadPhase(fork, 3)).start.plan.received?.result).toEqual({ summary: 'it is one' });
    expect((await engine.loadPhase(fork, 2)).start.identity).toMatchObject({
      agent: { name: 'tester' },
      isSubagent: true,
    });
  });
});
