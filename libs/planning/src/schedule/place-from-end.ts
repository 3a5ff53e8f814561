import { removeLag } from '../calendar/add-lag.js';
import type { Instant } from '../calendar/instant.js';
import { groupLinks, leavesStart, type Link, reachesStart } from '../network/network.js';
import type { FlatTask } from './flat-problem.js';
import { getFixedTimes, type Instance, type Times } from './instance.js';
import { FIRST_CURSOR, type Placement } from './place-task.js';
import { countSlots, SLOT_MINUTES } from './schedule-problem.js';
import type { Slot } from './slots.js';

/**
 * Moves the work of a schedule to the end of the time it has, in the same order: the mirror of placeTask, so that every slot is at least as late as in
 * `forward`. Returns `undefined` if that does not hold for some task, which then keeps its dates only in `forward`.
 */
export function placeFromEnd(
  instance: Instance,
  order: readonly string[],
  forward: ReadonlyMap<string, Placement>,
): ReadonlyMap<string, Placement> | undefined {
  const times = getFixedTimes(instance);
  const outgoing = groupLinks(instance.problem.links, 'from');
  const placements = new Map<string, Placement>();
  const fill = createBackwardFill(instance.slots);
  for (const id of order.toReversed()) {
    const task = instance.byId.get(id)!;
    const limits = computeLimits(instance, task, outgoing.get(id) ?? [], times);
    const placed = task.minutes === 0 ? placeMilestone(instance, limits) : fill(countSlots(task.minutes), limits);
    const early = forward.get(id)!;
    if (!placed || placed.start < early.start || placed.end < early.end) return undefined;
    times.set(id, placed);
    placements.set(id, placed);
  }
  return placements;
}

/** The latest start and end that dates, the window and the tasks behind allow. */
function computeLimits(
  { problem, pending }: Instance,
  task: FlatTask,
  links: readonly Link[],
  times: ReadonlyMap<string, Times>,
): Times {
  let start = task.latestStart ?? Infinity;
  let end = Math.min(task.latestEnd ?? Infinity, problem.window.end);
  for (const link of links) {
    const to = times.get(link.to)!;
    const limit = removeLag(problem.calendar, reachesStart(link) ? to.start : to.end, link.lag, link.unit);
    if (leavesStart(link)) start = Math.min(start, limit);
    else end = Math.min(end, limit);
    if (pending.has(link.to)) end = Math.min(end, to.start);
  }
  return { start, end };
}

function placeMilestone({ problem }: Instance, { start, end }: Times): Placement {
  const limit = Math.min(start, end);
  const at = problem.calendar.canEndAt(limit) ? limit : problem.calendar.previousClose(limit);
  return { start: at, end: at, slots: [], cursor: FIRST_CURSOR };
}

/** Fills slots from the last to the first, over several tasks. */
function createBackwardFill(slots: readonly Slot[]) {
  let at = slots.length - 1;
  let [day, dayUsed, week, weekUsed] = [-Infinity, 0, -Infinity, 0];
  const findSlot = (latest: Instant): number | undefined => {
    for (; at >= 0; at--) {
      const slot = slots[at]!;
      if (slot.day !== day) [day, dayUsed] = [slot.day, 0];
      if (slot.week !== week) [week, weekUsed] = [slot.week, 0];
      if (slot.start <= latest && dayUsed < slot.dayRoom && weekUsed < slot.weekRoom) return at;
    }
    return undefined;
  };
  return (count: number, limits: Times): Placement | undefined => {
    const filled: number[] = [];
    for (let index = 0; index < count; index++) {
      const last = limits.end - SLOT_MINUTES;
      const found = findSlot(index === count - 1 ? Math.min(last, limits.start) : last);
      if (found === undefined) return undefined;
      filled.unshift(found);
      at--;
      dayUsed++;
      weekUsed++;
    }
    const [start, end] = [slots[filled[0]!]!.start, slots[filled.at(-1)!]!.start + SLOT_MINUTES];
    return { start, end, slots: filled, cursor: FIRST_CURSOR };
  };
}
