import { violationsOf, type Violation } from '../check/invariants.js';
import { World, type Remains, type RunOptions } from './world.js';

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly remains: Remains;
}

/** Runs one seed to its end and checks all invariants. */
export async function runSeed(options: RunOptions): Promise<SeedResult> {
  const remains = await new World(options).run();
  return { seed: options.seed, violations: violationsOf(remains), remains };
}
