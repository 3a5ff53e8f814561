import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BenchFailed } from '../bench-failed.js';
import { runSystemProgram } from './run-program.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-program-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(code: string): Promise<unknown> {
  const path = join(folder, 'program.mjs');
  await writeFile(path, code);
  return runSystemProgram(path, { jobs: 2, stepsPerJob: 3 });
}
const print = (completedJobs: number, steps: number): string =>
  `const { jobs } = JSON.parse(process.argv[2]);
   console.log(JSON.stringify({ jobs, completedJobs: ${completedJobs}, steps: ${steps}, seconds: 1, stepsPerSecond: 6, p50Ms: 1 }));`;

it('passes the options on and returns what the program printed', async () => {
  expect(await run(print(2, 6))).toMatchObject({ jobs: 2, stepsPerSecond: 6 });
});

it.each([
  ['a job that did not complete', print(1, 6), /1 of 2 jobs completed, with 6 of 6 steps/],
  ['a missing step', print(2, 5), /2 of 2 jobs completed, with 5 of 6 steps/],
  ['a program that fails', `throw new Error('no server')`, /no server/],
])('returns no figures for %s', async (_, code, message) => {
  const running = run(code);
  await expect(running).rejects.toThrow(BenchFailed);
  await expect(running).rejects.toThrow(message);
});

it('keeps the keys of this process from the programs', async () => {
  process.env['PHASELINE_BENCH_SECRET'] = 'key';
  const code = `console.error(Object.keys(process.env).join()); process.exit(1);`;
  await expect(run(code)).rejects.not.toThrow(/PHASELINE_BENCH_SECRET/);
  delete process.env['PHASELINE_BENCH_SECRET'];
});
