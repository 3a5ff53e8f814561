import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';

/** Counts compilations and instances of WebAssembly in a thread, and then starts its program. */
const COUNTING = `
const { program, counts } = require('node:worker_threads').workerData;
const { compile, instantiate, Module } = WebAssembly;
WebAssembly.compile = (...given) => { counts[0] += 1; return compile(...given); };
WebAssembly.instantiate = (source, ...given) => {
  if (!(source instanceof Module)) counts[0] += 1;
  counts[1] += 1;
  return instantiate(source, ...given);
};
import(program);
`;

it('compiles the engine once per thread, and makes a new instance per run', async () => {
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const program = new URL('./script-thread.ts', import.meta.url).href;
  const worker = new Worker(COUNTING, { eval: true, workerData: { program, counts } });
  onTestFinished(async () => void (await worker.terminate()));
  const limits = {
    ...{ calls: 0, memoryBytes: 32 * 1024 * 1024, stackBytes: 256 * 1024, interrupts: 500, promiseJobs: 1_000 },
    ...{ argumentCharacters: 0, printedCharacters: 0 },
  };
  const code = 'globalThis.runs = (globalThis.runs ?? 0) + 1; return globalThis.runs';
  for (let run = 0; run < 3; run += 1) {
    worker.postMessage({ code, results: [], limits });
    expect(await once(worker, 'message')).toEqual(['started']);
    expect(await once(worker, 'message')).toMatchObject([{ kind: 'returned', text: '1' }]);
  }
  const [compiled, instances] = counts;
  expect({ compiled, instances }).toEqual({ compiled: 1, instances: 3 });
});
