import type { Fault } from '../schedule/faults.js';

/**
 * A shorter list of faults that still breaks the same thing: leaves out halves, quarters, and so on down to single ones,
 * until none can be left out or `tries` are used up (delta debugging).
 */
export async function shrink(
  faults: readonly Fault[],
  stillBreaks: (fewer: readonly Fault[]) => Promise<boolean>,
  tries: number,
): Promise<readonly Fault[]> {
  let left = tries;
  let kept = faults;
  const attempt = async (fewer: readonly Fault[]): Promise<boolean> => {
    if (left <= 0) return false;
    left -= 1;
    return stillBreaks(fewer);
  };
  if (kept.length > 0 && (await attempt([]))) return [];
  for (let size = Math.ceil(kept.length / 2); size >= 1;) {
    let shorter = false;
    for (let from = 0; from < kept.length;) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await attempt(fewer)) {
        kept = fewer;
        shorter = true;
      } else from += size;
    }
    if (left <= 0) return kept;
    if (size > 1) size = Math.ceil(size / 2);
    else if (!shorter) return kept;
  }
  return kept;
}
