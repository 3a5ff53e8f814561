import { describe, expect, it } from 'vitest';
import { judgeReport } from './judge-report.js';

const file = (name: string, status: string, ...tests: readonly string[]): object => ({
  name: `/copy/${name}`,
  status,
  message: status === 'failed' ? 'what went wrong\nwhere' : '',
  assertionResults: tests.map((test, index) => ({ fullName: `${name} test ${index}`, status: test })),
});
const report = (...testResults: readonly object[]): string => JSON.stringify({ testResults });

describe('judgeReport', () => {
  it('counts a failed test as a detected mutation', () => {
    expect(judgeReport(report(file('a.spec.ts', 'failed', 'passed', 'failed')), ['a.spec.ts'])).toEqual({
      kind: 'detected',
      failedTests: ['a.spec.ts test 1'],
    });
  });

  it('counts passed tests as a surviving mutation', () => {
    expect(judgeReport(report(file('a.spec.ts', 'passed', 'passed', 'skipped')), ['a.spec.ts'])).toEqual({
      kind: 'survived',
    });
  });

  it.each<[string, string | undefined, string]>([
    ['no report', undefined, 'no report'],
    ['half a report', '{"testResults": [', 'cannot be read'],
    ['a spec that cannot be loaded', report(file('a.spec.ts', 'failed')), 'outside its tests: what went wrong'],
    ['a failed hook', report(file('a.spec.ts', 'failed', 'skipped')), 'outside its tests'],
    [
      'a spec that cannot be loaded next to a failed test',
      report(file('a.spec.ts', 'failed', 'failed'), file('b.spec.ts', 'failed')),
      'outside its tests',
    ],
    ['a run without tests', report(file('a.spec.ts', 'passed', 'skipped')), 'no test ran'],
    ['a spec that was not run', report(file('b.spec.ts', 'failed', 'failed')), 'a.spec.ts was not run'],
  ])('does not count %s', (_, text, reason) => {
    expect(judgeReport(text, ['a.spec.ts'])).toEqual({
      kind: 'invalid',
      reason: expect.stringContaining(reason) as unknown,
    });
  });
});
