import { percentile } from '@phaseline/harness';
import type { Sample } from '../samples/sampler.js';

/** Median resident memory of a process in two parts of a run, in MiB. The first third is warm-up. */
export interface MemoryGrowth {
  readonly name: string;
  readonly secondThirdMiB: number;
  readonly lastThirdMiB: number;
}

/** Compares the memory of each process in the last third of the samples with the second third. Empty with fewer than three samples. */
export function compareMemory(samples: readonly Sample[]): readonly MemoryGrowth[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return [];
  const medianOf = (part: readonly Sample[], name: string): number =>
    percentile(
      part.flatMap(({ rssMiB }) => rssMiB[name] ?? []),
      0.5,
    );
  return Object.keys(samples.at(-1)!.rssMiB).map((name) => ({
    name,
    secondThirdMiB: medianOf(samples.slice(-2 * third, -third), name),
    lastThirdMiB: medianOf(samples.slice(-third), name),
  }));
}
