import type { Guard } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { requestControl } from './control.fixture.js';
import { positionOf, toolsWith, useForks } from './fork.fixture.js';
import { calls, createThreePhasePolicy } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

const HOUR_MS = 3_600_000;

const rule = (name: string, when: Guard['body'], then: Guard['body']): Guard => ({
  ...{ name, version: 'a'.repeat(64), scope: 'agent', kind: 'rule', stage: 'production', owner: 'ada' },
  ...{ points: ['PreToolUse'], onFailure: 'deny', body: { when, then } },
});
const guards = [
  rule('no-code', { args: { path: { glob: 'src/**' } } }, { deny: 'closed' }),
  rule('ask', { args: { path: { glob: 'ask/**' } } }, { ask: 'sure?' }),
];
const write = (path: string) => ['write_file', { path, content: 'text' }] as [string, object];

/** Starts a job whose second phase waits for a person, and then writes under `src/` before and after another wait. */
async function startGuarded() {
  const work = [calls(write('ask/1')), calls(write('src/a.ts')), calls(write('ask/2')), calls(write('src/b.ts'))];
  const subject = engine(createThreePhasePolicy(work), { agent: { tools: toolsWith(), guards } });
  const jobId = await subject.submitAndRun();
  const override = (changes: object = {}) =>
    requestControl(subject, jobId, {
      ...{ action: 'override-guard', guard: 'no-code', scope: 'agent', reason: 'r', expiresInMs: HOUR_MS },
      ...changes,
    });
  const approve = async (callId: string) => {
    expect(await requestControl(subject, jobId, { action: 'approve', callId })).toEqual({ kind: 'recorded' });
    await subject.run(jobId);
  };
  const decided = async () =>
    (await subject.phaseEvents(jobId, 2))
      .filter(({ type, data }) => type === 'GuardDecided' && data['decision'] === 'deny')
      .map(({ data }) => data['override']);
  const tree = async () => Object.keys((await subject.loadPhase(jobId, 2)).tree);
  return { subject, jobId, override, approve, decided, tree };
}

describe('an override of a guard', () => {
  it('lets the calls of the job pass, is named by each decision, and reaches the phases that start before it expires', async () => {
    const { subject, jobId, override, approve, decided, tree } = await startGuarded();
    expect(await override()).toEqual({ kind: 'recorded' });
    await approve('call_2_1_1');
    expect(await tree()).toContain('src/a.ts');
    await approve('call_2_3_1');
    const by = { actor: 'ada', reason: 'r', expiresAt: expect.any(String) as string };
    expect(await decided()).toEqual([by, by]);
    expect((await subject.loadPhase(jobId, 3)).start.terms.guardOverrides).toMatchObject([
      { guard: 'no-code', scope: 'agent', actor: 'ada' },
    ]);
  });

  it('ends when it expires', async () => {
    const { subject, jobId, override, approve, decided, tree } = await startGuarded();
    await override();
    await approve('call_2_1_1');
    subject.advanceTime(HOUR_MS);
    await approve('call_2_3_1');
    expect(await tree()).toContain('src/a.ts');
    expect(await tree()).not.toContain('src/b.ts');
    expect((await decided()).map((by) => by !== undefined)).toEqual([true, false]);
    expect((await subject.loadPhase(jobId, 3)).start.terms.guardOverrides).toBeUndefined();
  });

  it('ends when it is revoked, once', async () => {
    const { override, approve, decided, tree } = await startGuarded();
    const revoke = { action: 'revoke-guard-override', guard: 'no-code', scope: 'agent', reason: 'enough' };
    expect(await override(revoke)).toEqual({ kind: 'nothing-to-do' });
    await override();
    await approve('call_2_1_1');
    expect(await override({ ...revoke, scope: 'system' })).toEqual({ kind: 'nothing-to-do' });
    expect(await override(revoke)).toEqual({ kind: 'recorded' });
    expect(await override(revoke)).toEqual({ kind: 'nothing-to-do' });
    await approve('call_2_3_1');
    expect(await tree()).not.toContain('src/b.ts');
    expect((await decided()).map((by) => by !== undefined)).toEqual([true, false]);
  });

  it('counts for one guard of one scope, and for at most a day', async () => {
    const { override, approve, tree } = await startGuarded();
    expect(await override({ expiresInMs: 24 * HOUR_MS + 1 })).toMatchObject({ kind: 'refused' });
    expect(await override({ expiresInMs: 0 })).toMatchObject({ kind: 'refused' });
    await override({ scope: 'system' });
    await override({ guard: 'ask' });
    await approve('call_2_1_1');
    expect(await tree()).toContain('ask/2');
    expect(await tree()).not.toContain('src/a.ts');
  });

  it('is refused for a job that has ended', async () => {
    const { override, approve } = await startGuarded();
    await approve('call_2_1_1');
    await approve('call_2_3_1');
    expect(await override()).toMatchObject({ kind: 'refused', reason: expect.stringContaining('ended') });
  });
});

describe('a live fork', () => {
  const { opened, playJob, forkJob } = useForks();

  it('does not inherit the overrides of its parent', async () => {
    const work = [calls(write('ask/1')), calls(write('src/a.ts'))];
    const parent = await playJob(createThreePhasePolicy(work), { agent: { tools: toolsWith(), guards } });
    const { engine: subject, jobId } = parent;
    await requestControl(subject, jobId, {
      ...{ action: 'override-guard', guard: 'no-code', scope: 'agent', reason: 'r', expiresInMs: HOUR_MS },
    });
    const phase = await subject.loadPhase(jobId, 2);
    expect(phase.guards.overrides).toHaveLength(1);
    const position = (await opened.store.readCorrelation(jobId)).at(-1)!.position;
    const forkId = await forkJob(subject, jobId, { position, mode: 'live' });
    const forked = await subject.repository.loadJob(forkId);
    expect(forked!.guardOverrides).toBeUndefined();
    expect((await subject.loadPhase(forkId, 2)).guards.overrides).toEqual([]);
  });
});

describe('a recorded fork', () => {
  const { opened, playJob, replay, outcomeOf } = useForks();

  it('repeats what a guard decided under an override that the fork does not have', async () => {
    const work = [calls(write('ask/1')), calls(write('src/a.ts'))];
    const parent = await playJob(createThreePhasePolicy(work), { agent: { tools: toolsWith(), guards } });
    const { engine: subject, jobId } = parent;
    await requestControl(subject, jobId, {
      ...{ action: 'override-guard', guard: 'no-code', scope: 'agent', reason: 'r', expiresInMs: HOUR_MS },
    });
    await requestControl(subject, jobId, { action: 'approve', callId: 'call_2_1_1' });
    await subject.run(jobId);
    const expected = await outcomeOf(jobId);
    expect(Object.keys(expected.files)).toContain('src/a.ts');
    const events = await opened.store.readCorrelation(jobId);
    expect(await replay(subject, jobId, positionOf(events, 'PhaseStarted', 1))).toEqual(expected);
  });
});
