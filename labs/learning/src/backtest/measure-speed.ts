import { SeededRandom } from '@phaseline/harness';
import { backtestJob } from '@phaseline/what-if';
import { playJob } from './compare-backtest.js';
import { generateGuard } from './generate-guard.js';

/** Speed of the backtest of the guards of one kind over one job. */
interface KindSpeed {
  readonly guards: number;
  /** Time of the processor in seconds, of all threads. */
  readonly cpuSeconds: number;
  readonly eventsPerSecond: number;
}

/** Speed of the backtest over one job. */
export interface BacktestSpeed {
  /** Events of the job. Each guard reads all of them. */
  readonly events: number;
  readonly rules: KindSpeed;
  readonly scripts: KindSpeed;
  /** Size of the heap after garbage was collected, before the first guard and after the last, in MiB; it was not collected without --expose-gc. */
  readonly heapMebibytes: readonly [number, number];
}

/** Reads a job of this many calls once per generated guard, in one thread. Warms up with a rule and a script first. */
export async function measureSpeed(
  seed: number,
  calls: number,
  guards: { readonly rules: number; readonly scripts: number },
): Promise<BacktestSpeed> {
  const random = new SeededRandom(seed);
  const { log, jobId, engine } = await playJob(seed, calls, []);
  const parts = { tools: engine.tools };
  let index = 0;
  const next = (kind: 'rule' | 'script') => {
    for (;;) {
      const guard = generateGuard(random, (index += 1));
      if (guard.kind === kind) return guard;
    }
  };
  const { events } = await backtestJob(log, jobId, next('rule'), parts);
  await backtestJob(log, jobId, next('script'), parts);
  const measure = async (kind: 'rule' | 'script', count: number): Promise<KindSpeed> => {
    const before = process.cpuUsage();
    for (let done = 0; done < count; done += 1) await backtestJob(log, jobId, next(kind), parts);
    const { user, system } = process.cpuUsage(before);
    const cpuSeconds = (user + system) / 1_000_000;
    return { guards: count, cpuSeconds, eventsPerSecond: (events * count) / cpuSeconds };
  };
  const heap = measureHeap();
  const rules = await measure('rule', guards.rules);
  const scripts = await measure('script', guards.scripts);
  return { events, rules, scripts, heapMebibytes: [heap, measureHeap()] };
}

function measureHeap(): number {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1_048_576);
}
