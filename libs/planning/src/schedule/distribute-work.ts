import { assertNever } from '@phaseline/basics';
import type { Instance } from './instance.js';
import { placeFromEnd } from './place-from-end.js';
import { placeInOrder } from './place-in-order.js';
import type { Placement } from './place-task.js';
import { countSlots, type PlacementProfile } from './schedule-problem.js';
import { ALL_SLOTS, listSlots, type Slot } from './slots.js';

/** What the shares of an even distribution are multiplied by, one after another, until all dates are met. */
const SHARE_FACTORS = [1, 1.1, 1.25, 1.5, 2, 3];

/** Placements, and the slots that their positions mean. */
export interface Layout {
  readonly placements: ReadonlyMap<string, Placement>;
  readonly slots: readonly Slot[];
}

/**
 * Lays out the work of a schedule by the profile, in the order that the search found. Preferred weekdays come before the distribution: both are kept if
 * the dates allow it, else only the weekdays, else only the distribution, else neither.
 */
export function distributeWork(
  instance: Instance,
  order: readonly string[],
  found: Layout['placements'],
  profile: PlacementProfile,
): Layout {
  const { distribution, preferredWeekdays } = profile;
  const choices = preferredWeekdays.length > 0 ? [preferredWeekdays, []] : [[]];
  for (const weekdays of choices) {
    const slots = listSlots(instance.problem, { ...ALL_SLOTS, weekdays });
    const placements = placeInOrder({ ...instance, slots }, order);
    if (!placements) continue;
    switch (distribution) {
      case 'front_loaded':
        return { placements, slots };
      case 'back_loaded':
        return { placements: placeFromEnd({ ...instance, slots }, order, placements) ?? placements, slots };
      case 'even':
        return spreadEvenly(instance, order, weekdays) ?? { placements, slots };
      default:
        return assertNever(distribution);
    }
  }
  return { placements: found, slots: instance.slots };
}

/** Uses the smallest tried share of each day and week with which all dates are met. */
function spreadEvenly(instance: Instance, order: readonly string[], weekdays: readonly number[]): Layout | undefined {
  const needed = instance.movable.reduce((sum, { minutes }) => sum + countSlots(minutes), 0);
  const room = measureRoom(listSlots(instance.problem, { ...ALL_SLOTS, weekdays }));
  for (const factor of SHARE_FACTORS) {
    const share = (needed / room) * factor;
    if (!(share > 0 && share < 1)) return undefined;
    const slots = listSlots(instance.problem, { weekdays, share });
    const placements = placeInOrder({ ...instance, slots }, order);
    if (placements) return { placements, slots };
  }
  return undefined;
}

/** Number of slots that work can fill within the capacity of days and weeks. */
function measureRoom(slots: readonly Slot[]): number {
  return [...Map.groupBy(slots, ({ week }) => week).values()].reduce((sum, week) => {
    const days = [...Map.groupBy(week, ({ day }) => day).values()];
    const inDays = days.reduce((total, day) => total + Math.min(day.length, day[0]!.dayRoom), 0);
    return sum + Math.min(inDays, week[0]!.weekRoom);
  }, 0);
}
