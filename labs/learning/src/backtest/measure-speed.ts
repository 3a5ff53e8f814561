import { SeededRandom } from '@phaseline/harness';
import { backtestJob } from '@phaseline/what-if';
import { playJob } from './compare-backtest.js';
import { generateRule } from './generate-guard.js';

/** Speed of the backtest of rules over one job. */
export interface BacktestSpeed {
  readonly rules: number;
  /** Events of the job. Each rule reads all of them. */
  readonly events: number;
  readonly seconds: number;
  readonly eventsPerSecond: number;
  /** Size of the heap before the first rule and after the last, in MiB. */
  readonly heapMebibytes: readonly [number, number];
}

/** Reads a job of this many calls once per generated rule, in one thread. Warms up with one rule first. */
export async function measureSpeed(seed: number, calls: number, rules: number): Promise<BacktestSpeed> {
  const random = new SeededRandom(seed);
  const { log, jobId, engine } = await playJob(seed, calls, []);
  const parts = { tools: engine.tools };
  await backtestJob(log, jobId, generateRule(random, 1), parts);
  const before = measureHeap();
  const startedAt = performance.now();
  let read = 0;
  for (let index = 0; index < rules; index += 1)
    read += (await backtestJob(log, jobId, generateRule(random, index + 2), parts)).events;
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    rules,
    events: read / rules,
    seconds,
    eventsPerSecond: read / seconds,
    heapMebibytes: [before, measureHeap()],
  };
}

function measureHeap(): number {
  return Math.round(process.memoryUsage().heapUsed / 1_048_576);
}
