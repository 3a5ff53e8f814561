import { HONEST_SEEDS, honestRuns } from './honest/honest-runs.js';
import { LABELLED_SET } from './labelled-set.js';
import { playThrough, type PlayedRun } from './play-through.js';

/** Plays the honest runs, and the fine and stuck halves of each labelled part, through the decisions of a phase. */
export function playParts(): Readonly<Record<string, readonly PlayedRun[]>> {
  const halves = Object.entries(LABELLED_SET).flatMap(([part, { kinds, seeds }]) => {
    const [fine, stuck] = [true, false].map((isFine) => kinds.filter(({ label }) => (label === 'fine') === isFine));
    return [
      [`${part}, fine`, playThrough(fine ?? [], seeds)],
      [`${part}, stuck`, playThrough(stuck ?? [], seeds)],
    ] as const;
  });
  return { honest: playThrough(honestRuns, HONEST_SEEDS), ...Object.fromEntries(halves) };
}
