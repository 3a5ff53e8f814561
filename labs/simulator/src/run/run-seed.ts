import { findViolations, type Violation } from '../check/invariants.js';
import { checkRedecisions } from '../check/redecisions.js';
import { World, type RunResult, type RunOptions } from './world.js';

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly remains: RunResult;
}

/** Every fifth seed is decided again, because that takes as long as the run itself. */
const SEEDS_PER_REDECISION = 5;

/** Runs one seed to its end and checks all invariants. */
export async function runSeed(options: RunOptions): Promise<SeedResult> {
  const remains = await new World(options).run();
  const { seed, mutation } = options;
  // A removed safeguard leaves logs that the code as it is would not write.
  const isRedecided = mutation === undefined && seed % SEEDS_PER_REDECISION === 0;
  const redecided = isRedecided ? await checkRedecisions(remains) : [];
  return { seed, violations: [...findViolations(remains), ...redecided], remains };
}
