import { findViolations, type Violation } from '../check/invariants.js';
import { World, type RunResult, type RunOptions } from './world.js';

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly remains: RunResult;
}

/** Runs one seed to its end and checks all invariants. */
export async function runSeed(options: RunOptions): Promise<SeedResult> {
  const remains = await new World(options).run();
  return { seed: options.seed, violations: findViolations(remains), remains };
}
