import { describe, expect, it } from 'vitest';
import type { TestCase } from '../report/report.js';
import { judgeCases } from './judge-cases.js';

type Runs = Parameters<typeof judgeCases>[1];
type Outcome = TestCase['outcome'];

/** A run with the cases of a report, by name. */
const run = (outcome: 'passed' | 'failed' | 'error', ...cases: readonly (readonly [string, Outcome])[]) => {
  const count = (wanted: Outcome): number => cases.filter(([, ended]) => ended === wanted).length;
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
  return {
    ...{ outcome, reason: `it ${outcome}`, isComplete: true, tests: { ran: passed + failed, passed, failed, skipped } },
    cases: cases.map(([name, ended]) => ({ name, outcome: ended })),
  };
};
const unread = (outcome: 'passed' | 'failed' | 'error') => ({ outcome, reason: `it ${outcome}` });
const now = run('passed', ['works', 'passed'], ['old', 'passed']);

function judge(runs: Partial<Runs>, tests: readonly string[] = ['works']) {
  return judgeCases({ tests }, { now, baseline: run('passed', ['old', 'passed']), minTests: 1, ...runs });
}

describe('cases prove a feature', () => {
  it.each<[string, Partial<Runs>]>([
    ['if one failed before', { baseline: run('failed', ['works', 'failed']) }],
    ['if a new one fails on the files of the beginning', { mixed: run('failed', ['works', 'failed']) }],
    ['if the file of a new one cannot be loaded there', { mixed: run('failed', ['test/new.js', 'failed']) }],
    ['if the run with a new one ends without a report', { mixed: unread('failed') }],
    [
      'if there was no report before, and the new one is not in the report',
      { baseline: unread('failed'), mixed: run('failed') },
    ],
    [
      'if the file of a new one fails to load, where other tests failed before',
      {
        baseline: run('failed', ['old', 'failed']),
        mixed: run('failed', ['old', 'failed'], ['test/new.js', 'failed']),
      },
    ],
  ])('%s', (_when, runs) => {
    expect(judge(runs)).toMatchObject({ proof: { proved: true, reason: '' }, needsMixed: false });
  });

  it.each<[string, Partial<Runs>, RegExp]>([
    ['if the run did not pass', { now: unread('failed'), baseline: run('failed', ['works', 'failed']) }, /^it failed$/],
    ['if the report names no cases', { now: unread('passed') }, /report that names cases/],
    ['if one is absent', { now: run('passed', ['old', 'passed']) }, /no such case: works/],
    ['if one was skipped', { now: run('passed', ['works', 'skipped']) }, /did not pass: works/],
    [
      'if one of two tests with the name was skipped',
      { now: run('passed', ['works', 'passed'], ['works', 'skipped']) },
      /did not pass: works/,
    ],
    ['if the beginning cannot be verified', { baseline: unread('error') }, /could not be verified: it error/],
    ['if it passed before', { baseline: run('passed', ['works', 'passed']) }, /passed before the work began.*: works/],
    ['if it was skipped before', { baseline: run('passed', ['works', 'skipped']) }, /only skipped.*: works/],
    ['if a new one passes there', { mixed: run('passed', ['works', 'passed']) }, /also pass on the files.*: works/],
    [
      'if a new one passes there, while another fails',
      { mixed: run('failed', ['works', 'passed'], ['old', 'failed']) },
      /also pass on the files.*: works/,
    ],
    ['if a new one is skipped there', { mixed: run('failed', ['works', 'skipped']) }, /nothing shows/],
    ['if a new one is not read there', { mixed: run('passed', ['old', 'passed']) }, /nothing shows/],
    [
      'if a new one is not read there, and only what failed before fails',
      { baseline: run('failed', ['old', 'failed']), mixed: run('failed', ['old', 'failed'], ['b', 'passed']) },
      /nothing shows/,
    ],
    [
      'if a new one is not read there, and no test ran before either',
      { baseline: run('failed'), mixed: run('failed') },
      /nothing shows/,
    ],
    ['if the tests cannot be run there', { mixed: unread('error') }, /could not be run/],
  ])('but not %s', (_when, runs, reason) => {
    const { proof, needsMixed } = judge(runs);
    expect([proof.proved, needsMixed]).toEqual([false, false]);
    expect(proof.reason).toMatch(reason);
  });
});

describe('the other tests', () => {
  const works = ['works', 'passed'] as const;
  const failedBefore = ['works', 'failed'] as const;

  it.each<[string, Partial<Runs>]>([
    [
      'failed before',
      { now: run('failed', works, ['later', 'failed']), baseline: run('failed', failedBefore, ['later', 'failed']) },
    ],
    [
      'could not be loaded before',
      { now: run('failed', works, ['later', 'failed']), baseline: run('failed', failedBefore, ['later.js', 'failed']) },
    ],
    [
      'ran with a name that some of them failed with before',
      {
        now: run('failed', works, ['twice', 'passed'], ['twice', 'failed']),
        baseline: run('failed', failedBefore, ['twice', 'passed'], ['twice', 'failed']),
      },
    ],
  ])('may fail if they %s', (_when, runs) => {
    expect(judge(runs).proof).toMatchObject({ proved: true, others: { failed: 1, worse: [] } });
  });

  it.each<[string, Partial<Runs>, RegExp]>([
    ['fails now', { now: run('failed', works, ['old', 'failed']) }, /do not now: old$/],
    ['is absent now', { now: run('passed', works) }, /do not now: old$/],
    ['is absent, because the run died half way', { now: run('failed', works, ['x', 'failed']) }, /do not now: old$/],
    ['is skipped now', { now: run('passed', works, ['old', 'skipped']) }, /do not now: old$/],
    [
      'fails now, while a new one has its name',
      { now: run('failed', works, ['old', 'failed'], ['old', 'passed']) },
      /do not now: old$/,
    ],
  ])('must not be worse: one that passed before %s', (_what, runs, reason) => {
    const { proof } = judge({ baseline: run('failed', failedBefore, ['old', 'passed']), ...runs });
    expect(proof).toMatchObject({ proved: false, reason: expect.stringMatching(reason), others: { worse: ['old'] } });
  });

  it.each<[string, Partial<Runs>, RegExp]>([
    [
      'the run was stopped',
      { now: { ...run('failed', works, ['later', 'failed']), isComplete: false } },
      /^it failed$/,
    ],
    ['all passed, but the run did not', { now: run('failed', works, ['old', 'passed']) }, /^it failed$/],
    ['too few ran', { now: run('failed', works, ['later', 'failed']), minTests: 3 }, /^it failed$/],
    [
      'the run before lacks some',
      {
        now: run('failed', works, ['later', 'failed']),
        baseline: { ...run('failed', failedBefore, ['later', 'failed']), isComplete: false },
      },
      /cannot be compared with the files of the beginning: it failed$/,
    ],
  ])('cannot fail where nothing says how they ended: %s', (_what, runs, reason) => {
    const { proof } = judge({ baseline: run('failed', failedBefore, ['later', 'failed']), ...runs });
    expect(proof).toMatchObject({ proved: false, reason: expect.stringMatching(reason) });
  });

  it('do not matter to requests, all of which must pass', () => {
    const requests = [{ method: 'GET' as const, url: 'http://127.0.0.1/a', headers: {}, status: 200 }];
    const runs = { now: run('failed', ['GET /a', 'passed'], ['x', 'failed']), baseline: run('failed'), minTests: 1 };
    expect(judgeCases({ requests }, runs).proof).toMatchObject({ proved: false, reason: 'it failed' });
  });
});

describe('a run with the tests of now on the files of the beginning', () => {
  it('is needed only for a test that is new, if nothing else decides', () => {
    expect(judge({}).needsMixed).toBe(true);
    expect(judge({}, ['works', 'old']).needsMixed).toBe(true);
    expect(judge({}, ['old']).needsMixed).toBe(false);
    expect(judge({ baseline: run('failed', ['old', 'failed']) }, ['works', 'old']).needsMixed).toBe(false);
  });

  it('is not needed for a test whose file was there and could not be loaded, if no input was added', () => {
    const late = ['late', 'failed'] as const;
    const unloaded = run('failed', ['old', 'passed'], late, ['test/feature.js', 'failed']);
    const both = run('failed', ['works', 'passed'], ['old', 'passed'], late);
    expect(judge({ now: both, baseline: unloaded }).proof).toMatchObject({ proved: true });
    // The run failed then as it does now, so nothing says that the file was not read.
    expect(judge({ now: both, baseline: run('failed', ['old', 'passed'], late) }).proof).toMatchObject({
      proved: false,
      reason: expect.stringContaining('in no file that was added'),
    });
  });
});

describe('the cases of a proof', () => {
  it('are found by their names as a report writes them', () => {
    expect(judge({}, ['  works\n'])).toMatchObject({ proof: { cases: [{ name: 'works', now: 'passed' }] } });
  });

  it('that passed before are named, in a reason that is not too long', () => {
    const names = Array.from({ length: 50 }, (_, index) => `${index} ${'long '.repeat(50)}`.trim());
    const all = run('passed', ...names.map((name): [string, Outcome] => [name, 'passed']));
    const { reason } = judgeCases({ tests: names }, { now: all, baseline: all, minTests: 1 }).proof;
    expect(reason).toMatch(/: 0 long .*; 1 long .*; 2 long .* and 47 more$/);
    expect(reason.length).toBeLessThanOrEqual(500);
  });
});
