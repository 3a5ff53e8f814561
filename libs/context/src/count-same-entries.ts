import type { TranscriptEntry } from '@phaseline/domain';

/**
 * Number of entries at the beginning of two conversations that are the same objects. An entry is replaced when it changes, so these are
 * unchanged.
 */
export function countSameEntries(left: readonly TranscriptEntry[], right: readonly TranscriptEntry[]): number {
  const most = Math.min(left.length, right.length);
  let same = 0;
  while (same < most && left[same] === right[same]) same += 1;
  return same;
}
