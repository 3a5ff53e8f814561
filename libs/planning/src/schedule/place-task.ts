import type { Instant } from '../calendar/instant.js';
import { SLOT_MINUTES } from './schedule-problem.js';
import type { Slot } from './slots.js';

/** Where the work of the next task begins: the first slot that is not used up, and what is used of its day and week. */
export interface Cursor {
  readonly slot: number;
  readonly day: number;
  readonly dayUsed: number;
  readonly week: number;
  readonly weekUsed: number;
}

export const FIRST_CURSOR: Cursor = { slot: 0, day: -Infinity, dayUsed: 0, week: -Infinity, weekUsed: 0 };

export interface Placement {
  readonly start: Instant;
  readonly end: Instant;
  /** Positions of the slots that the task fills, ascending. */
  readonly slots: readonly number[];
  readonly cursor: Cursor;
}

/**
 * Fills the earliest slots after the cursor: the first not before `start`, the last not ending before `end`. Returns `undefined` if there are too few.
 *
 * For a given order of tasks no other choice is ever better: by induction over the slots of the whole order, each is at least as early as in any other
 * schedule with this order. A slot that the other schedule uses is not used up here, and neither is the capacity of its day or week, because the
 * work that fills it here lies, in the other schedule, in the same day or week or later, and before the slot; then that is full there as well.
 */
export function placeTask(
  slots: readonly Slot[],
  cursor: Cursor,
  count: number,
  { start, end }: { readonly start: Instant; readonly end: Instant },
): Placement | undefined {
  const filled: number[] = [];
  let { slot, day, dayUsed, week, weekUsed } = cursor;
  for (let index = 0; index < count; index++) {
    const release = index === count - 1 ? Math.max(start, end - SLOT_MINUTES) : start;
    slot = findSlotFrom(slots, slot, release);
    for (; ; slot++) {
      const found = slots[slot];
      if (!found) return undefined;
      if (found.day !== day) [day, dayUsed] = [found.day, 0];
      if (found.week !== week) [week, weekUsed] = [found.week, 0];
      if (dayUsed < found.dayRoom && weekUsed < found.weekRoom) break;
    }
    filled.push(slot++);
    dayUsed++;
    weekUsed++;
  }
  const first = slots[filled[0]!]!.start;
  const last = slots[filled.at(-1)!]!.start + SLOT_MINUTES;
  return { start: first, end: last, slots: filled, cursor: { slot, day, dayUsed, week, weekUsed } };
}

/** Position of the first slot, from `from` on, that does not begin before an instant. */
function findSlotFrom(slots: readonly Slot[], from: number, instant: Instant): number {
  if (from >= slots.length || slots[from]!.start >= instant) return from;
  let [low, high] = [from, slots.length];
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (slots[middle]!.start < instant) low = middle;
    else high = middle;
  }
  return high;
}
