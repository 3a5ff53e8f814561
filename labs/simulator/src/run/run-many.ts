import type { Mutation } from '../mutation/mutations.js';
import type { Size } from '../workload/jobs.js';
import { runSeed } from './run-seed.js';
import { shrinkSchedule } from './shrink.js';
import { addResult, emptySummary, type Failure, type Summary } from './summary.js';

export interface ManyOptions {
  readonly seeds: Iterable<number>;
  readonly workload: Size;
  readonly mutation?: Mutation;
  /** Ends at the first seed with a violation. */
  readonly untilBroken?: boolean;
  readonly onProgress?: (summary: Summary) => void;
}

/** Maximum number of failures that are explained; a real defect causes many. */
const MAX_FAILURES = 5;
const MAX_SHRINK_RUNS = 250;

/** Runs seed after seed in this process. */
export async function runMany({ seeds, workload, mutation, untilBroken, onProgress }: ManyOptions): Promise<Summary> {
  const summary = emptySummary();
  const options = { workload, ...(mutation ? { mutation } : {}) };
  for (const seed of seeds) {
    const result = await runSeed({ seed, ...options });
    addResult(summary, result);
    const { user, system } = process.cpuUsage();
    summary.cpuMs = (user + system) / 1_000;
    if (result.violations.length > 0 && summary.failures.length < MAX_FAILURES)
      summary.failures.push(await explainFailure(seed, options));
    onProgress?.(summary);
    if (untilBroken && summary.failed > 0) break;
    // A run never yields to the event loop, so signals and pipes are handled between runs.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return summary;
}

/** Searches for the shortest schedule with which the seed violates the same invariant. */
async function explainFailure(
  seed: number,
  options: { readonly workload: Size; readonly mutation?: Mutation },
): Promise<Failure> {
  const { violations, remains } = await runSeed({ seed, ...options });
  const broken = violations[0]!.invariant;
  const faults = await shrinkSchedule(
    remains.faults,
    async (only) => {
      const result = await runSeed({ seed, ...options, only });
      return result.violations.some(({ invariant }) => invariant === broken);
    },
    MAX_SHRINK_RUNS,
  );
  const shortest = await runSeed({ seed, ...options, only: faults });
  return { seed, violations: shortest.violations.slice(0, 5), faults, drawn: remains.faults.length };
}
