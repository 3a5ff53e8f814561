import { verifyClaims } from '@phaseline/audit';
import type { JobId } from '@phaseline/contracts';
import { jobStream } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import { positionOf, useForks } from './fork.fixture.js';
import { call, calls } from './scripts.js';
import { write } from './state-agents.fixture.js';
import { code, fail, feature, list, pass, playLoop, report, unit } from './feature-loop.fixture.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();
const play = (options: Parameters<typeof playLoop>[1]) => playLoop(opened.store, options);
type Engine = ReturnType<typeof play>['engine'];

/** Events of the job's own stream. */
const jobEvents = async (jobId: JobId) =>
  (await opened.store.readCorrelation(jobId)).filter(({ streamId }) => streamId === jobStream(jobId));

/** Text of a file with which a phase began. */
async function readAtStart(engine: Engine, jobId: JobId, phase: number, path: string): Promise<string> {
  const { tree } = (await engine.loadPhase(jobId, phase)).start.workspace;
  return Buffer.from((await opened.store.blobs.get(tree[path]!.hash))!).toString();
}

const statuses = async (engine: Engine, jobId: JobId) =>
  (await engine.loadJob(jobId)).items?.list.map(({ id, status, attempts }) => [id, status, attempts]);

const typesOf = async (jobId: JobId) =>
  (await jobEvents(jobId)).map(({ type }) => type).filter((type) => /^(?:Item|Handoff)/.test(type));

describe('a loop over features', () => {
  it('implements and tests one after the other, and completes when each is tested', async () => {
    const { engine, asked, prompts } = play({
      script: {
        1: [list(feature('a'), feature('b'))],
        2: [code('a')],
        3: [pass()],
        4: [code('b')],
        5: [pass()],
        6: [report()],
      },
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(await statuses(engine, jobId)).toEqual([
      ['a', 'tested', 0],
      ['b', 'tested', 0],
    ]);
    // Each proof compares with the files of the phase in which the work on its feature began.
    expect(asked).toEqual([
      { began: 2, tests: ['a works'] },
      { began: 4, tests: ['b works'] },
    ]);
    expect(prompts.get(2)![0]).toContain('## Feature a');
    expect(prompts.get(3)![0]).toContain('"summary":"wrote a"');
    expect(JSON.parse(await readAtStart(engine, jobId, 4, 'feature-list.json'))).toMatchObject({
      features: [
        { id: 'a', status: 'tested', tested: true, attempts: 0, evidence: { phase: 3 } },
        { id: 'b', status: 'pending', tested: false, evidence: null },
      ],
    });
    expect(JSON.parse(await readAtStart(engine, jobId, 5, 'session-state.json'))).toMatchObject({
      ...{ state: 'test', feature: 'b', attempts: 0 },
      last_return: { agent: 'coder', outcome: 'coded' },
    });
    expect(await typesOf(jobId)).toEqual([
      ...['ItemsListed', 'ItemStarted'],
      ...['ItemChanged', 'HandoffIssued', 'HandoffAccepted', 'HandoffCompleted', 'ItemChanged', 'ItemStarted'],
      ...['ItemChanged', 'HandoffIssued', 'HandoffAccepted', 'HandoffCompleted', 'ItemChanged'],
    ]);
  });

  it('gives a feature that failed once back to the coder with the findings', async () => {
    const { engine, prompts } = play({
      script: {
        1: [list(feature('a'))],
        2: [code('a', 'wrong\n')],
        3: [fail('the answer is wrong')],
        4: [code('a')],
        5: [pass()],
        6: [report()],
      },
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(await statuses(engine, jobId)).toEqual([['a', 'tested', 1]]);
    // The workflow says what follows a todo of its own that the tester left open. No later phase has to account for it.
    expect((await engine.loadPhase(jobId, 4)).start.plan.obligations).toBeUndefined();
    expect(prompts.get(4)![0]).toContain('Failed attempts so far: 1. The last one: the answer is wrong');
    // The work of the first attempt is kept.
    expect((await engine.loadPhase(jobId, 4)).start.workspace.tree['src/a.txt']).toBeDefined();
  });

  it('blocks a feature that failed twice, takes its work back, keeps it as a patch, and continues with the next', async () => {
    const { engine } = play({
      script: {
        1: [list(feature('a'), feature('b'))],
        ...{ 2: [code('a', 'wrong\n')], 3: [fail('wrong')], 4: [code('a', 'still wrong\n')], 5: [fail('still wrong')] },
        ...{ 6: [code('b')], 7: [pass()], 8: [report()] },
      },
    });
    const jobId = await engine.submitAndRun();
    const job = await engine.loadJob(jobId);
    expect(job.status).toBe('blocked');
    expect(job.failure).toMatchObject({ code: 'features_blocked', items: [{ id: 'a', reason: 'still wrong' }] });
    expect(await statuses(engine, jobId)).toEqual([
      ['a', 'blocked', 2],
      ['b', 'tested', 0],
    ]);
    const { tree, changed } = (await engine.loadPhase(jobId, 6)).start.workspace;
    expect(Object.keys(tree)).not.toContain('src/a.txt');
    expect(changed).toEqual([
      ...['archive/blocked_a.patch', 'feature-list.json', 'instructions.md', 'session-state.json', 'src/a.txt'],
      'workspace.md',
    ]);
    expect(await readAtStart(engine, jobId, 6, 'archive/blocked_a.patch')).toContain('+still wrong');
    const events = await jobEvents(jobId);
    expect(events.find(({ type }) => type === 'HandoffRolledBack')?.data).toMatchObject({ to: 2, deleted: 1 });

    // A retry tries the blocked feature again.
    await requestControl(engine, jobId, { action: 'retry', reason: 'the specification was corrected' });
    await engine.run(jobId);
    const { start } = await engine.loadPhase(jobId, 9);
    expect([start.identity.state, start.plan.item?.id, start.plan.item?.attempts]).toEqual(['code', 'a', 0]);
  });

  it('accepts no feature without a proof, whatever the tester returns', async () => {
    const green = { proved: false, reason: 'a works passed before the work began' };
    const { engine, prompts } = play({
      script: {
        1: [list(feature('a'))],
        2: [code('a')],
        3: [pass(), pass(), fail('no test fails without the work')],
        4: [code('a')],
        5: [pass()],
        6: [report()],
      },
      proofs: [green, green],
    });
    const jobId = await engine.submitAndRun();
    expect(await statuses(engine, jobId)).toEqual([['a', 'tested', 1]]);
    expect(prompts.get(3)!.at(-1)).toContain('a works passed before the work began');
  });

  it('accepts no feature to whose change the judge objects', async () => {
    const { engine, prompts, judged } = play({
      script: {
        1: [list(feature('a'))],
        2: [code('a')],
        3: [pass(), fail('it is hard-coded')],
        4: [code('a')],
        5: [pass()],
        6: [report()],
      },
      judge: ['{"objection": true, "reason": "the answer is hard-coded"}'],
    });
    const jobId = await engine.submitAndRun();
    expect(await statuses(engine, jobId)).toEqual([['a', 'tested', 1]]);
    expect(prompts.get(3)!.at(-1)).toContain('hard-coded');
    // It sees the feature and the work of the coder, not only what the tester changed.
    expect(judged[0]).toContain('Feature a: The feature a.');
    expect(judged[0]).toContain('src/a.txt');
    expect(judged[0]).not.toContain('b/session-state.json');
  });

  it('counts a phase that fails as a failed attempt', async () => {
    const { engine } = play({
      script: { 1: [list(feature('a'))], 2: [{ content: 'It is done.' }], 3: [code('a')], 4: [pass()], 5: [report()] },
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).status).toBe('completed');
    expect(await statuses(engine, jobId)).toEqual([['a', 'tested', 1]]);
  });

  it('ends as failed when a list of features is refused twice', async () => {
    const unknown = { ...feature('a'), checks: [{ verifier: 'none', tests: ['x'] }] };
    const { engine, prompts } = play({ script: { 1: [list(unknown)] } });
    const jobId = await engine.submitAndRun();
    const job = await engine.loadJob(jobId);
    expect([job.status, job.failure?.code]).toEqual(['failed', 'items_refused']);
    expect(prompts.get(1)!.at(-1)).toContain('there is no verifier none. Known: unit');
  });

  it('refuses a call without features where the job came without a list', async () => {
    const { engine } = play({ script: { 1: [call('submit_features'), list(feature('a'))], 2: [code('a')] } });
    const jobId = await engine.submitAndRun();
    const failed = (await engine.phaseEvents(jobId, 1)).find(({ type }) => type === 'ToolCallFailed');
    expect(failed?.data).toMatchObject({ code: 'features_missing' });
    expect(await statuses(engine, jobId)).toMatchObject([['a', expect.anything(), expect.anything()]]);
  });

  it('takes the list that came with the job as it is, and nothing of it as tested', async () => {
    const came = { features: [{ ...feature('a'), status: 'tested', tested: true }, feature('b')] };
    const documents = [{ name: 'feature-list.json', content: Buffer.from(JSON.stringify(came)) }];
    const script = { 1: [list(feature('b')), call('submit_features')], 2: [code('a')] };
    const { engine, prompts } = play({ script });
    const jobId = await engine.submit({ documents });
    await engine.run(jobId);
    const events = await engine.phaseEvents(jobId, 1);
    // Tools that write refuse inputs anyway; this holds for commands too.
    expect((await engine.loadPhase(jobId, 1)).start.terms.protected).toContainEqual({
      ...{ file: 'documents/feature-list.json', writer: 'machine' },
    });
    expect(events.find(({ type }) => type === 'ItemsRefused')?.data).toMatchObject({
      problems: ['a: is in documents/feature-list.json and missing here'],
    });
    expect(prompts.get(1)![0]).toContain('The job came with documents/feature-list.json.');
    expect(JSON.parse(await readAtStart(engine, jobId, 2, 'feature-list.json'))).toMatchObject({
      features: [
        { id: 'a', status: 'pending', tested: false, evidence: null },
        { id: 'b', status: 'pending' },
      ],
    });
  });

  it.each([
    ['no JSON', '{', ' is no JSON'],
    ['empty', '[]', ': .*Too small'],
    ['without the id of a feature', '[{"description": "a"}]', ': .*at \\[0\\]\\.id'],
  ])('accepts no job with a list that is %s', async (_what, text, problem) => {
    const { engine } = play({ script: {} });
    const submission = engine.submit({ documents: [{ name: 'feature-list.json', content: Buffer.from(text) }] });
    await expect(submission).rejects.toMatchObject({
      code: 'document_unusable',
      message: expect.stringMatching(new RegExp(`^documents/feature-list\\.json${problem}`)),
    });
  });

  it('refuses a handoff whose files are missing, as a failed attempt of the sender', async () => {
    const { engine } = play({
      script: { 1: [list(feature('a'))], 2: [code('other')], 3: [code('a')], 4: [pass()], 5: [report()] },
      changes: { coded: { handoff: { requires: ['src/a.txt'] } } },
    });
    const jobId = await engine.submitAndRun();
    expect(await statuses(engine, jobId)).toEqual([['a', 'tested', 1]]);
    const events = await jobEvents(jobId);
    expect(events.find(({ type }) => type === 'HandoffRefused')?.data).toMatchObject({
      reason: 'these files are missing: src/a.txt',
    });
  });

  it('stops a receiver that does not end in time, as a failed attempt of the sender', async () => {
    const { engine } = play({
      script: { 1: [list(feature('a'))], 2: [code('a')], 3: [pass()], 4: [code('a')], 5: [pass()], 6: [report()] },
      changes: { coded: { handoff: { timeoutMs: 60_000 } } },
      // Its first call waits for a person.
      tester: { approvals: { tools: ['read_file'], expireAfterMs: 10_000_000 } },
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadPhase(jobId, 3)).end).toBeUndefined();
    engine.advanceTime(60_001);
    await engine.run(jobId);
    expect((await engine.loadPhase(jobId, 3)).end).toMatchObject({ kind: 'cancelled' });
    expect(await statuses(engine, jobId)).toEqual([['a', 'implemented', 1]]);
    expect(await typesOf(jobId)).toContain('HandoffTimedOut');
    // The second tester waits too. Its time is its own.
    const job = await engine.loadJob(jobId);
    expect(Object.values(job.timers).map(({ kind }) => kind)).toEqual(['handoff']);
    expect(job.handoff).toMatchObject({ receiver: 5, context: { featureId: 'a', previousState: 'code' } });
  });

  it('does not count a pause as time of the receiver', async () => {
    const { engine } = play({
      script: { 1: [list(feature('a'))], 2: [code('a')], 3: [pass()] },
      changes: { coded: { handoff: { timeoutMs: 60_000 } } },
      tester: { approvals: { tools: ['read_file'], expireAfterMs: 10_000_000 } },
    });
    const jobId = await engine.submitAndRun();
    await requestControl(engine, jobId, { action: 'pause', reason: 'over night' });
    engine.advanceTime(1_000_000);
    await requestControl(engine, jobId, { action: 'resume', reason: 'in the morning' });
    await engine.run(jobId);
    expect((await engine.loadPhase(jobId, 3)).end).toBeUndefined();
    engine.advanceTime(60_001);
    await engine.run(jobId);
    expect((await engine.loadPhase(jobId, 3)).end).toMatchObject({ kind: 'cancelled' });
  });

  it('keeps a patch of given-up work also in a file whose name every object has', async () => {
    const odd = calls(write('constructor', 'wrong\n'), ['phase_return', { result: { summary: 'wrote it' } }]);
    const { engine } = play({
      script: {
        1: [list(feature('a'))],
        2: [odd],
        3: [fail('wrong')],
        4: [code('a')],
        5: [fail('wrong')],
        6: [report()],
      },
    });
    const jobId = await engine.submitAndRun();
    expect((await engine.loadJob(jobId)).failure?.code).toBe('features_blocked');
    expect(await readAtStart(engine, jobId, 6, 'archive/blocked_a.patch')).toContain('+++ b/constructor');
  });

  it('completes no feature whose lines are covered too little, where a verifier measures that', async () => {
    const half = { proved: true, coverage: { coveredLines: 1, totalLines: 2 } };
    const most = { proved: true, coverage: { coveredLines: 9, totalLines: 10 } };
    const { engine, prompts } = play({
      script: {
        ...{ 1: [list(feature('a'))], 2: [code('a')], 3: [pass(), fail('too few tests')] },
        ...{ 4: [code('a')], 5: [pass()], 6: [report()] },
      },
      proofs: [half, most],
    });
    const jobId = await engine.submitAndRun();
    expect(await statuses(engine, jobId)).toEqual([['a', 'tested', 1]]);
    expect(prompts.get(3)!.at(-1)).toContain('50 % of the lines are covered; at least 80 % must be');
    const completed = (await jobEvents(jobId)).filter(({ type }) => type === 'HandoffCompleted');
    expect(completed.map(({ data }) => data['coverage'])).toEqual([50, 'not measured', 90]);
  });

  it('verifies the health of the project before the first step, and tells the agent what fails', async () => {
    const { engine, prompts, asked } = play({
      script: { 1: [list(feature('a'))], 2: [code('a')], 3: [pass()], 4: [report()] },
      tester: { verifiers: [unit, { ...unit, name: 'health', kind: 'health' as const }] },
    });
    const jobId = await engine.submitAndRun();
    expect(await statuses(engine, jobId)).toEqual([['a', 'tested', 0]]);
    expect((await engine.eventTypes(jobId, 3)).slice(0, 4)).toEqual([
      ...['PhaseStarted', 'FileWritten', 'ToolCallRequested', 'ToolCallCompleted'],
    ]);
    expect(prompts.get(3)![0]).toContain('The verifier health passed before you began.');
    expect(asked).toEqual([undefined, { began: 2, tests: ['a works'] }]);
  });

  it('lets no agent write the list', async () => {
    const forged = calls(write('feature-list.json', '{"features":[]}'));
    const { engine } = play({
      script: { 1: [list(feature('a'))], 2: [forged, code('a')], 3: [pass()], 4: [report()] },
    });
    const jobId = await engine.submitAndRun();
    expect(await statuses(engine, jobId)).toEqual([['a', 'tested', 0]]);
    const failed = (await engine.phaseEvents(jobId, 2)).find(({ type }) => type === 'ToolCallFailed');
    expect(failed?.data).toMatchObject({ code: 'protected_field' });
  });
});

describe('a fork of a job with a loop', () => {
  const forks = useForks();

  it('repeats items, proofs and handoffs when it is recorded, without a model or a verifier', async () => {
    const unknown = { ...feature('a'), checks: [{ verifier: 'none', tests: ['x'] }] };
    const { engine, asked, prompts } = playLoop(forks.opened.store, {
      script: {
        ...{ 1: [list(unknown), list(feature('a'), feature('b'))], 2: [code('a', 'wrong\n')], 3: [fail('wrong')] },
        ...{ 4: [code('a', 'still\n')], 5: [fail('still')], 6: [code('b')], 7: [pass()], 8: [report()] },
      },
    });
    const jobId = await engine.submitAndRun();
    const position = positionOf(await forks.opened.store.readCorrelation(jobId), 'PhaseStarted');
    const counts = [asked.length, [...prompts.values()].flat().length];
    const fork = await forks.forkJob(engine, jobId, { position, mode: 'recorded' });
    await engine.run(fork);
    expect([asked.length, [...prompts.values()].flat().length]).toEqual(counts);
    expect(await forks.outcomeOf(fork)).toEqual(await forks.outcomeOf(jobId));
    expect((await engine.loadJob(fork)).items?.list).toEqual((await engine.loadJob(jobId)).items?.list);
    // The proofs of both are derived again from the log alone.
    const pool = createPool(forks.opened.url, { max: 1 });
    for (const correlationId of [jobId, fork]) {
      const { claims, derived, problems, notDerived } = await verifyClaims(pool, { correlationId });
      expect([problems, notDerived, derived]).toEqual([[], [], claims]);
      expect(claims).toBeGreaterThan(8);
    }
    await pool.end();
  });
});
