import { readdir, readFile } from 'node:fs/promises';
import { ToolError } from '@phaseline/contracts';
import { Sandbox } from '@phaseline/sandbox';
import { describe, expect, it } from 'vitest';
import { findBrowser } from './find-browser.js';
import { sandbox, VerifierBench } from './verifier-bench.fixture.js';

/** A small project with a test suite that fails at the beginning, and passes once `add` is right. */
const begin = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node run.mjs' } }),
  'src/add.js': 'export const add = (a, b) => a - b;\n',
  'test/add.test.js': `import { test } from 'node:test'; import assert from 'node:assert'; import { add } from '../src/add.js';
test('adds', () => assert.equal(add(1, 2), 3));
test('adds nothing', () => assert.equal(add(1, 0), 1));\n`,
};
const repaired = { ...begin, 'src/add.js': 'export const add = (a, b) => a + b;\n' };

const unit = {
  name: 'unit',
  kind: 'unit' as const,
  argv: ['node', '--test', '--test-reporter=tap', 'test/**/*.test.js'],
  inputs: ['test/**', 'package.json', 'run.mjs'],
  configuration: ['*.config.js'],
  reads: { tap: 'stdout' },
};

describe('an honest run', () => {
  it('passes with its tests, and leaves nothing on disk', async () => {
    const bench = new VerifierBench();
    expect(await bench.run(unit, begin, repaired)).toMatchObject({
      outcome: 'passed',
      reason: '2 tests passed.',
      tests: { ran: 2, passed: 2, failed: 0, skipped: 0 },
      cases: [
        { name: 'adds', outcome: 'passed' },
        { name: 'adds nothing', outcome: 'passed' },
      ],
      changedInputs: [],
    });
    expect(await bench.list()).toEqual({ runs: [], dependencies: [] });
  });

  it('fails with the names of the tests that fail, without their output', async () => {
    const { outcome, reason, outputText } = await new VerifierBench().run(unit, begin);
    expect([outcome, reason]).toEqual(['failed', '1 of 2 tests failed: adds.']);
    expect(outputText).toContain('-1 == 3');
  });

  it('runs in a folder of the workspace, to which all paths are relative', async () => {
    const inFolder = (files: Record<string, string>) =>
      Object.fromEntries(Object.entries(files).map(([path, text]) => [`repository/${path}`, text]));
    const weak = { ...repaired, 'test/add.test.js': '' };
    expect(
      await new VerifierBench().run({ ...unit, folder: 'repository' }, inFolder(begin), inFolder(weak)),
    ).toMatchObject({ outcome: 'passed', changedInputs: ['repository/test/add.test.js'] });
  });
});

describe('cheating fails', () => {
  it.each([
    ['edited tests', { 'test/add.test.js': `import { test } from 'node:test'; test('adds', () => {});` }],
    ['an edited script of the package', { 'package.json': JSON.stringify({ scripts: { test: 'true' } }) }],
    ['a test file in the place of a folder', { 'test/add.test.js': undefined, test: 'nothing' }],
    ['deleted tests', { 'test/add.test.js': undefined }],
    [
      'a link in the place of the tests',
      { 'test/add.test.js': undefined, test: { text: 'src', mode: 'link' as const } },
    ],
  ])('%s are put back and listed', async (_what, changes: Record<string, unknown>) => {
    const claimed = Object.fromEntries(
      Object.entries({ ...begin, ...changes }).filter(([, file]) => file !== undefined),
    ) as typeof begin;
    const changed = Object.keys(changes).filter((path) => path in begin);
    expect(await new VerifierBench().run(unit, begin, claimed)).toMatchObject({
      outcome: 'failed',
      reason: '1 of 2 tests failed: adds.',
      changedInputs: changed,
    });
  });

  it('an added test that passes is kept, and takes the place of no other', async () => {
    const added = { 'test/b.test.js': `import { test } from 'node:test'; test('always', () => {});` };
    expect(await new VerifierBench().run(unit, begin, { ...begin, ...added })).toMatchObject({
      outcome: 'failed',
      reason: '1 of 3 tests failed: adds.',
      changedInputs: [],
    });
    expect(await new VerifierBench().run(unit, begin, { ...repaired, ...added })).toMatchObject({
      outcome: 'passed',
      tests: { passed: 3 },
      changedInputs: [],
    });
  });

  it('configuration that is added to a project with tests is left out and listed; in a new project it is kept', async () => {
    const added = { 'node.config.js': 'switch off' };
    const lists = { ...unit, kind: 'command' as const, argv: ['ls'], reads: { exitCode: true as const } };
    const old = await new VerifierBench().run(lists, begin, { ...repaired, ...added });
    expect([old.changedInputs, old.outputText.includes('node.config.js')]).toEqual([['node.config.js'], false]);
    const fresh = await new VerifierBench().run(lists, {}, { ...repaired, ...added });
    expect([fresh.changedInputs, fresh.outputText.includes('node.config.js')]).toEqual([[], true]);
  });

  it('a run without tests fails, also one of an empty test file that its program counts', async () => {
    const none = { ...begin, 'test/add.test.js': '' };
    expect(await new VerifierBench().run(unit, none)).toMatchObject({
      outcome: 'failed',
      reason: '0 tests ran; at least 1 must run.',
    });
    const skipped = `import { test } from 'node:test'; test.skip('adds', () => {});`;
    expect((await new VerifierBench().run(unit, { ...begin, 'test/add.test.js': skipped })).reason).toBe(
      '0 tests ran and 1 were skipped; at least 1 must run.',
    );
    expect((await new VerifierBench().run({ ...unit, minTests: 3 }, begin, repaired)).reason).toBe(
      '2 tests ran; at least 3 must run.',
    );
  });

  it('a program in a folder of dependencies is never that of the agent', async () => {
    const fake = { 'node_modules/.bin/runner': { text: '#!/bin/sh\nexit 0\n', mode: 'executable' as const } };
    const command = { name: 'lint', argv: ['node_modules/.bin/runner'] };
    const { outcome } = await new VerifierBench().run(command, begin, { ...begin, ...fake });
    expect(outcome).toBe('failed');
    expect((await new VerifierBench().run(command, { ...begin, ...fake }, begin)).outcome).toBe('passed');
  });

  it('a report that was there before the run is not read, wherever it hides', async () => {
    const junit = '<testsuites><testcase name="adds"/></testsuites>';
    const definition = { name: 'unit', argv: ['true'], reads: { junit: 'reports/*.xml' } };
    for (const file of [junit, { text: '../fixed.xml', mode: 'link' as const }])
      expect(
        await new VerifierBench().run(definition, begin, { ...begin, 'reports/a.xml': file, 'fixed.xml': junit }),
      ).toMatchObject({ outcome: 'failed', reason: 'It wrote no report. The command ended with exit code 0.' });
    const links = { ...begin, reports: { text: 'fixed', mode: 'link' as const }, 'fixed/a.xml': junit };
    expect((await new VerifierBench().run(definition, begin, links)).reason).toMatch(/^It wrote no report/);
    const writes = ['node', '-e', `fs.mkdirSync('reports'); fs.writeFileSync('reports/a.xml', '${junit}')`];
    expect(await new VerifierBench().run({ ...definition, argv: writes }, begin)).toMatchObject({
      outcome: 'passed',
      tests: { passed: 1 },
    });
  });

  it('reads no report that is a pipe or too large', async () => {
    const definition = (command: string) => ({
      name: 'unit',
      argv: ['sh', '-c', command],
      reads: { tap: 'report.tap' },
    });
    for (const [command, reason] of [
      ['mkfifo report.tap', /^Its report cannot be used: it is no file\./],
      ['head -c 17000000 /dev/zero > report.tap', /^Its report cannot be used: it is larger than 16777216 bytes\./],
      ['ln -s /etc/passwd report.tap', /^Its report cannot be used: it cannot be opened\./],
    ] as const)
      expect((await new VerifierBench().run(definition(command), begin)).reason).toMatch(reason);
  });

  it('an exit code other than 0 fails, although the report is good', async () => {
    const argv = ['sh', '-c', 'echo 1..1; echo ok 1 - fine; exit 3'];
    expect(await new VerifierBench().run({ name: 'unit', argv, reads: { tap: 'stdout' } }, begin)).toMatchObject({
      outcome: 'failed',
      reason: 'The tests that ran passed. The command ended with exit code 3.',
    });
  });

  it('keeps little of a huge output, and reads no report from it', async () => {
    const argv = ['sh', '-c', 'echo 1..1; echo ok 1 - fine; head -c 30000000 /dev/zero'];
    const result = await new VerifierBench().run({ name: 'unit', argv, reads: { tap: 'stdout' } }, begin);
    expect(result.reason).toMatch(/the standard output is too long/);
    expect(result.output.byteLength).toBeLessThan(2_200_000);
  });

  it('ends processes that outlive the run, and a run that hangs', async () => {
    const background = ['sh', '-c', 'sleep 1234567 & echo 1..1; echo ok 1 - fine'];
    const definition = { name: 'unit', argv: background, reads: { tap: 'stdout' } };
    expect((await new VerifierBench().run(definition, begin)).outcome).toBe('passed');
    const hanging = { name: 'health', argv: ['sleep', '1234567'], timeoutMs: 500 };
    expect(await new VerifierBench().run(hanging, begin)).toMatchObject({
      outcome: 'failed',
      reason: 'It was stopped, because it exceeded its time limit (500 ms).',
    });
    expect(await findProcesses('1234567')).toEqual([]);
  });
});

describe('a verifier that cannot be run', () => {
  it('says why, as an error', async () => {
    expect(await new VerifierBench().run({ name: 'lint', argv: ['no-such-program'] }, begin)).toMatchObject({
      outcome: 'error',
      reason: expect.stringContaining('no-such-program'),
    });
  });

  it('of the kind browser needs Chromium', async () => {
    const bare = new Sandbox({ mode: 'auto' });
    bare.findProgram = () => Promise.reject(new ToolError('program_missing', 'not here'));
    const page = { name: 'page', kind: 'browser' as const, argv: ['true'] };
    const reason = expect.stringMatching(/^Chromium is not installed/) as string;
    expect(await new VerifierBench(bare).run(page, begin)).toMatchObject({ outcome: 'error', reason });
  });

  it('of the kind browser keeps no screenshot of the agent', async ({ skip }) => {
    await findBrowser(sandbox).catch(() => skip());
    const shot = `fs.writeFileSync('shots/b.png', process.env.CHROMIUM)`;
    const result = await new VerifierBench().run(
      { name: 'page', kind: 'browser', argv: ['node', '-e', shot], screenshots: ['shots/*.png'] },
      { ...begin, 'shots/a.png': 'of the agent', 'shots/keep': '' },
    );
    expect(result.screenshots).toEqual([{ path: 'shots/b.png', content: expect.anything() }]);
  });

  it('throws the reason of an aborted signal, and leaves nothing', async () => {
    const bench = new VerifierBench();
    const controller = new AbortController();
    const running = bench.run({ name: 'health', argv: ['sleep', '7654321'] }, begin, begin, controller.signal);
    await expect.poll(() => findProcesses('7654321')).not.toEqual([]);
    controller.abort(new Error('the tool-runner stops'));
    await expect(running).rejects.toThrow('the tool-runner stops');
    expect((await bench.list()).runs).toEqual([]);
  });
});

/** Lists processes whose command line ends with an argument. */
async function findProcesses(argument: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (/(?:^|\/)sleep\0/.test(line) && line.endsWith(`\0${argument}\0`)) found.push(pid);
  }
  return found;
}
