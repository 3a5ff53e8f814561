import type { Fault } from '../schedule/faults.js';

/**
 * Finds a shorter list of faults that still violates the same invariant (delta debugging): leaves out halves, quarters and so on
 * down to single faults, until none can be left out or `tries` are used up.
 */
export async function shrinkSchedule(
  faults: readonly Fault[],
  stillBreaks: (fewer: readonly Fault[]) => Promise<boolean>,
  tries: number,
): Promise<readonly Fault[]> {
  let triesLeft = tries;
  let kept = faults;
  const attempt = async (fewer: readonly Fault[]): Promise<boolean> => {
    if (triesLeft <= 0) return false;
    triesLeft -= 1;
    return stillBreaks(fewer);
  };
  if (kept.length > 0 && (await attempt([]))) return [];
  for (let size = Math.ceil(kept.length / 2); size >= 1;) {
    let hasShrunk = false;
    for (let from = 0; from < kept.length;) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await attempt(fewer)) {
        kept = fewer;
        hasShrunk = true;
      } else from += size;
    }
    if (triesLeft <= 0) return kept;
    if (size > 1) size = Math.ceil(size / 2);
    else if (!hasShrunk) return kept;
  }
  return kept;
}
