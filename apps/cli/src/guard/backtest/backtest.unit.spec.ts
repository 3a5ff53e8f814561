import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BacktestHit, JobBacktest } from '@phaseline/contracts';
import { importFiles, readGuardFiles } from '@phaseline/hooks';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createPaint } from '../../output/paint.js';
import { runCli } from '../../run-cli.js';
import { createFakeHost } from '../../testing/fake-streams.js';
import { BacktestReport } from './backtest-report.js';
import { renderBacktest, renderUntested } from './render-backtest.js';

const JOB = '019b0000-0000-7000-8000-00000000000b';

function buildHit(version: number, change: Partial<BacktestHit> = {}): BacktestHit {
  return {
    ...{ streamId: `phase-${JOB}-2`, version, point: 'PreToolUse', decision: 'deny', tool: 'write_file' },
    ...({ arguments: '{"path":"a\u001b"}', reason: 'no', outcome: 'completed', phaseEnd: 'completed' } as const),
    assessment: 'possibly-wrong',
    meanStep: { costMicroUsd: 1_000, durationMs: 2_000 },
    after: { costMicroUsd: 50_000 - version * 1_000, durationMs: 600_000 - version * 1_000 },
    ...change,
  };
}

function buildReport(...jobs: readonly Partial<JobBacktest>[]): BacktestReport {
  const report = new BacktestReport();
  report.add({ kind: 'started', release: '1.0.0', jobs: jobs.length });
  for (const job of jobs)
    report.add({
      kind: 'backtested',
      backtest: {
        jobId: JOB,
        status: 'completed',
        events: 100,
        calls: 10,
        labelled: 8,
        untested: [],
        unknown: {},
        hits: [],
        ...job,
      },
    });
  return report;
}

function render(report: BacktestReport): string {
  const guard = { name: 'tested', kind: 'rule', version: 'abcdef0123' } as const;
  return renderBacktest({ guard, ...report.summarise() }, createPaint(false)).join('\n');
}

describe('the report of a backtest', () => {
  it('counts what the hits of one phase cost at most only once, and keeps five examples of each group', () => {
    const seven = [10, 11, 12, 13, 14, 15, 16].map((version) => buildHit(version));
    const ask = buildHit(3, { streamId: `phase-${JOB}-4`, decision: 'ask' });
    const summary = buildReport({ hits: [...seven, ask] }).summarise();
    expect(summary).toMatchObject({ hits: 8, jobs: 1, events: 100 });
    const [wrong] = summary.assessments;
    expect(wrong).toMatchObject({
      ...{ assessment: 'possibly-wrong', hits: 8 },
      // One step per hit; the first hit of each phase, because what follows it contains what follows the others.
      ...{
        atLeast: { costMicroUsd: 8_000, durationMs: 16_000 },
        atMost: { costMicroUsd: 87_000, durationMs: 1_187_000 },
      },
    });
    expect(wrong!.groups.map(({ decision, hits, examples }) => [decision, hits, examples.length])).toEqual([
      ['deny', 7, 5],
      ['ask', 1, 1],
    ]);
  });

  it('never costs less at most than at least', () => {
    const last = buildHit(10, { after: { costMicroUsd: 0, durationMs: 0 } });
    const [wrong] = buildReport({ hits: [last] }).summarise().assessments;
    expect(wrong!.atMost).toEqual(wrong!.atLeast);
  });

  it('shows the hits by assessment, and everything that was not tested', () => {
    const failed = buildHit(9, { outcome: 'failed', assessment: 'might-have-saved', failure: 'too large' });
    const unread = Array.from({ length: 6 }, () => ({ unreadable: 'the key of the job is missing' }));
    expect(
      render(
        buildReport(
          { hits: [buildHit(10), failed], untested: ['SessionEnd'], unknown: { 'no limits are recorded': 2 } },
          ...unread,
        ),
      ),
    ).toBe(
      [
        'tested (rule, version abcdef01): 2 hits in 7 jobs with 700 events',
        'Asked about 70 calls and claims. The outcome of 56 is known.',
        '',
        'Possibly wrong: 1 hit',
        '  The calls succeeded, and their jobs completed. A person should check each group.',
        '  If they are wrong, they cost at least $0.0010 and 2 s, and at most $0.0400 and 9 min.',
        '  deny, completed, job completed: 1',
        `    phase-${JOB}-2@10 write_file {"path":"a·"}: no`,
        '',
        'Might have saved work: 1 hit',
        '  The calls failed, or their jobs did.',
        '  Their phases used $0.0410 and 9 min afterwards.',
        '  deny, failed, job completed: 1',
        `    phase-${JOB}-2@9 write_file {"path":"a·"}: could not decide: too large`,
        '',
        'Not tested at SessionEnd: rules and scripts are never asked there, only commands observe',
        'Not tested: claims in 2 commits, no limits are recorded',
        ...Array.from({ length: 5 }, () => `Not tested to its end: job ${JOB}, the key of the job is missing`),
        '… and 1 more job',
      ].join('\n'),
    );
  });

  it('names the guards of a set that it cannot try, and why', () => {
    expect(
      renderUntested([
        { name: 'policies.Stop-1', kind: 'command', points: ['Stop'] },
        { name: 'policies.Stop-2', kind: 'judge', points: ['Stop'] },
      ]),
    ).toEqual([
      'Not tested: 2 other guards of the set, which go from draft to shadow without a backtest',
      '  policies.Stop-1 (command, Stop): a backtest runs commands about calls alone',
      '  policies.Stop-2 (judge, Stop): a judge calls a model',
    ]);
  });

  it('says that there is no hit', () => {
    expect(render(buildReport({}))).toBe(
      'tested (rule, version abcdef01): 0 hits in 1 job with 100 events\nAsked about 10 calls and claims. The outcome of 8 is known.',
    );
  });
});

describe('phaseline guards backtest', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'phaseline-backtest-spec-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  });

  async function run(file: string, ...options: string[]): Promise<{ code: number; error: string }> {
    const host = createFakeHost({ currentDirectory: folder, env: { PHASELINE_HOME: join(folder, 'home') } });
    return { code: await runCli(['guards', 'backtest', file, ...options], host), error: host.stderr.text };
  }

  /** Writes a guard set as the import does. */
  async function writeSet(hooks: object, terms: object = {}): Promise<void> {
    const files = join(folder, 'policies/files');
    mkdirSync(files, { recursive: true });
    writeFileSync(join(files, 'settings.json'), JSON.stringify({ hooks }));
    const { version } = importFiles(await readGuardFiles(files));
    const set = { name: 'policies', owner: 'ada', version, ...terms };
    writeFileSync(join(folder, 'policies/guard-set.yaml'), JSON.stringify(set));
  }

  const hook = { hooks: [{ type: 'command', command: 'true' }] };

  it('says how to run commands, and how to import hooks', async () => {
    await writeSet({ PreToolUse: [hook] });
    for (const file of ['policies', 'policies/guard-set.yaml']) {
      const { code, error } = await run(file);
      expect([code, error.trim().split('\n').length]).toEqual([2, 1]);
      expect(error).toContain(`${file} describes commands. Add --execute`);
    }
    writeFileSync(join(folder, 'settings.json'), '{}');
    for (const file of ['settings.json', '.']) {
      const { code, error } = await run(file, '--execute');
      expect(code).toBe(2);
      expect(error).toContain(`${file} has hooks that are not imported.`);
    }
  });

  it('refuses what it cannot run as it runs live', async () => {
    await writeSet({ PreToolUse: [hook] }, { network: ['example.com'] });
    expect((await run('policies', '--execute')).error).toContain('declares a network or secrets');
    await writeSet({ Stop: [hook] });
    expect((await run('policies', '--execute')).error).toContain('has no command that is asked about calls');
    writeFileSync(join(folder, 'rule.yaml'), 'name: rule\nowner: ada\nwhen: { tool: x }\nthen: { deny: "no" }\n');
    expect((await run('rule.yaml', '--execute')).error).toContain('rule.yaml is a rule or a script');
    expect((await run('rule', '--execute', '--record')).error).toContain('Give --record or --execute, not both');
  });

  it('explains a file that it cannot use, before it opens a database', async () => {
    writeFileSync(join(folder, 'wrong.yaml'), 'name: wrong\nowner: ada\nwhen: { tol: x }\nthen: { deny: no }\n');
    expect(await run('wrong.yaml')).toMatchObject({
      code: 1,
      error: expect.stringContaining('wrong.yaml:3:') as string,
    });
    const missing = await run('missing.yaml');
    expect(missing.error).toContain('missing.yaml');
    expect(missing.error).not.toMatch(/ {4}at |bug/);
  });

  it('says that there is no log', async () => {
    writeFileSync(join(folder, 'rule.yaml'), 'name: rule\nowner: ada\nwhen: { tool: x }\nthen: { deny: "no" }\n');
    const host = createFakeHost({ currentDirectory: folder, env: { PHASELINE_HOME: join(folder, 'home') } });
    expect(await runCli(['guards', 'backtest', 'rule.yaml'], host)).toBe(2);
    expect(host.stderr.text).toContain('No log found');
  });
});
