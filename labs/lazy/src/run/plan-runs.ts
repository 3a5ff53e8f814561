import { randomFrom } from '@phaseline/harness';
import type { Kind } from '../kinds/kinds.js';
import type { Tasks } from '../tasks/generate-task.js';

/** A run to make. Without a kind, the model does the work. */
export interface PlannedRun {
  readonly task: keyof Tasks;
  readonly seed: number;
  readonly kind?: Kind;
}

/**
 * Plans `count` runs of pretending models, each kind in turn, and the honest run of the same task for each. With fewer runs than kinds, the
 * seed chooses the kinds.
 */
export function planRuns(kinds: readonly Kind[], count: number, seed: number): readonly PlannedRun[] {
  const random = randomFrom(seed);
  const order = kinds
    .map((kind) => ({ kind, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ kind }) => kind);
  return Array.from({ length: count }, (_, index) => {
    const kind = order[index % order.length]!;
    const run = { task: kind.task, seed: seed * 100_000 + index };
    return [{ ...run, kind }, run];
  }).flat();
}
