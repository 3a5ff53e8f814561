import type { CaseResult } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { createPaint } from '../../output/paint.js';
import { runCli } from '../../run-cli.js';
import { createFakeHost } from '../../testing/fake-streams.js';
import { renderTriedCases } from './try-cases.js';

it('shows why each broken case fails, and names those that fail without the guard', () => {
  const failures = [{ expectation: 'expect.job', expected: 'completed', found: 'failed\u001b[2J' }];
  const broken: CaseResult = {
    ...{ name: 'report', agent: 'writer', file: 'cases/report/case.yaml', model: 'scripted', durationMs: 12 },
    ...{ passed: false, failures },
  };
  expect(renderTriedCases({ passed: 3, broken: [broken], failing: ['old', 'older'] }, createPaint(false))).toEqual([
    '✗ writer: report  scripted, 12 ms',
    '    expect.job',
    '      expected  completed',
    '      found     failed·[2J',
    '3 cases passed with the guard, 1 broken by it.',
    'Without the guard 2 cases failed too: old, older.',
  ]);
  expect(renderTriedCases({ passed: 1, broken: [], failing: [] }, createPaint(false))).toEqual([
    '1 case passed with the guard, 0 broken by it.',
  ]);
});

it('needs a stored guard where there is no such file, and a file where the text is no name', async () => {
  const run = async (guard: string) => {
    const host = createFakeHost({ env: { PHASELINE_URL: 'http://127.0.0.1:1' } });
    const code = await runCli(['guards', 'backtest', guard, '--cases', 'cases'], host);
    return { code, error: host.stderr.text };
  };
  expect((await run('no-secrets')).error).toContain('127.0.0.1:1');
  expect((await run('missing.yaml')).error).toContain('missing.yaml');
});
