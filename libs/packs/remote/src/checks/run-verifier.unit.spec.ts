import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifierDefinitionSchema } from '@phaseline/contracts';
import { checksSpec } from '@phaseline/pack-specs';
import { Sandbox } from '@phaseline/sandbox';
import { VerifierFolders } from '@phaseline/verification';
import { getContentHash, type Tree } from '@phaseline/workspace';
import { expect, it, onTestFinished } from 'vitest';
import { RemoteToolBench } from '../remote-tool-bench.fixture.js';
import { createChecksPack } from './checks-pack.js';

const definition = verifierDefinitionSchema.parse({
  ...{ name: 'unit', kind: 'unit', argv: ['sh', '-c', 'cat src/report.tap'], inputs: ['test/**'] },
  reads: { tap: 'stdout' },
});

/** Runs the verifier on files whose source is the report, so that a spec writes down how the tests end. */
function createBench({ now, before }: { readonly now: string; readonly before: string }) {
  const root = mkdtempSync(join(tmpdir(), 'run-verifier-spec-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const contents = new Map<string, Uint8Array>();
  const treeOf = (text: string): Tree => {
    const content = Buffer.from(text);
    const hash = getContentHash(content);
    contents.set(hash, content);
    return { 'src/report.tap': { hash, size: content.length, writtenAt: '2026-01-01T00:00:00.000Z' } };
  };
  const asked: (number | undefined)[] = [];
  const pack = createChecksPack({
    sandbox: new Sandbox({ mode: 'auto' }),
    folders: new VerifierFolders(root),
    readVerifier: async (_jobId, _name, began) => {
      asked.push(began);
      return { definition, begin: treeOf(before), blobs: { get: async (hash) => contents.get(hash) } };
    },
  });
  const bench = new RemoteToolBench(pack);
  treeOf(now);
  bench.put('src/report.tap', now);
  return { bench, asked };
}

const green = '1..1\nok 1 - adds\n';
const red = '1..1\nnot ok 1 - adds\n';

it('compares with the files of the phase that is named, and stores the output of every run in one report', async () => {
  const { bench, asked } = createBench({ now: green, before: red });
  const { result, blobs } = await bench.run('run_verifier', { name: 'unit', proof: { began: 3, tests: ['adds'] } });
  expect(asked).toEqual([3]);
  expect(result).toMatchObject({
    outcome: 'passed',
    tests: { passed: 1 },
    proof: {
      proved: true,
      cases: [{ name: 'adds', now: 'passed', before: 'failed' }],
      baseline: { outcome: 'failed', reason: '1 of 1 tests failed: adds.' },
    },
  });
  expect(JSON.parse(Buffer.from(blobs![0]!.content).toString())).toEqual({
    cases: [{ name: 'adds', outcome: 'passed' }],
    output: expect.stringContaining('\nok 1'),
    baseline: { cases: [{ name: 'adds', outcome: 'failed' }], output: expect.stringContaining('\nnot ok 1') },
  });
});

it('runs once without a proof, and compares with the files of the job', async () => {
  const { bench, asked } = createBench({ now: green, before: red });
  const { result, blobs } = await bench.run('run_verifier', { name: 'unit' });
  expect(asked).toEqual([undefined]);
  expect(result).not.toHaveProperty('proof');
  expect(JSON.parse(Buffer.from(blobs![0]!.content).toString())).not.toHaveProperty('baseline');
});

it.each([
  ['no cases', {}],
  ['no case', { tests: [] }],
  ['cases of two kinds', { tests: ['adds'], queries: [{ sqlite: 'a.db', sql: 'SELECT 1' }] }],
])('takes no proof with %s', (_what, cases) => {
  const { input } = checksSpec.byName.run_verifier;
  expect(input.safeParse({ name: 'unit', proof: { began: 1, tests: ['adds'] } }).success).toBe(true);
  expect(input.safeParse({ name: 'unit', proof: { began: 1, ...cases } }).success).toBe(false);
});
