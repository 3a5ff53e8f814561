import { describe, expect, it } from 'vitest';
import type { TestCase } from '../report/report.js';
import { judgeCases } from './judge-cases.js';

type Runs = Parameters<typeof judgeCases>[1];
type Outcome = TestCase['outcome'];

/** A run with the cases of a report, by name. */
const run = (outcome: 'passed' | 'failed' | 'error', ...cases: readonly (readonly [string, Outcome])[]) => ({
  ...{ outcome, reason: `it ${outcome}` },
  cases: cases.map(([name, ended]) => ({ name, outcome: ended })),
});
const unread = (outcome: 'passed' | 'failed' | 'error') => ({ outcome, reason: `it ${outcome}` });
const now = run('passed', ['works', 'passed'], ['old', 'passed']);

function judge(runs: Partial<Runs>, tests: readonly string[] = ['works']) {
  return judgeCases({ tests }, { now, baseline: run('passed', ['old', 'passed']), ...runs });
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

describe('a run with the tests of now on the files of the beginning', () => {
  it('is needed only for a test that is new, if nothing else decides', () => {
    expect(judge({}).needsMixed).toBe(true);
    expect(judge({}, ['works', 'old']).needsMixed).toBe(true);
    expect(judge({}, ['old']).needsMixed).toBe(false);
    expect(judge({ baseline: run('failed', ['old', 'failed']) }, ['works', 'old']).needsMixed).toBe(false);
  });
});

describe('the cases of a proof', () => {
  it('are found by their names as a report writes them', () => {
    expect(judge({}, ['  works\n'])).toMatchObject({ proof: { cases: [{ name: 'works', now: 'passed' }] } });
  });

  it('that passed before are named, in a reason that is not too long', () => {
    const names = Array.from({ length: 50 }, (_, index) => `${index} ${'long '.repeat(50)}`.trim());
    const all = run('passed', ...names.map((name): [string, Outcome] => [name, 'passed']));
    const { reason } = judgeCases({ tests: names }, { now: all, baseline: all }).proof;
    expect(reason).toMatch(/: 0 long .*; 1 long .*; 2 long .* and 47 more$/);
    expect(reason.length).toBeLessThanOrEqual(500);
  });
});
