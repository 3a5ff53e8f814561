import { getWeek, type Instant } from '../calendar/instant.js';
import { computeLatest } from '../network/backward-pass.js';
import { traceChain } from '../network/find-contradictions.js';
import { computeEarliest } from '../network/forward-pass.js';
import type { Link } from '../network/network.js';
import { type FlatProblem, isMovable } from './flat-problem.js';
import { toNetwork } from './instance.js';
import type { Proof } from './schedule.js';
import { countSlots, SLOT_MINUTES } from './schedule-problem.js';
import type { Slot } from './slots.js';

interface Demand {
  readonly id: string;
  readonly slots: number;
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * Finds tasks that links and dates force into a stretch of time with less capacity than they need. Every pair of an earliest start and a latest end
 * is tried. The conflict also has the tasks before and behind them that can force those times, and the appointments that share their capacity.
 */
export function findOverload(problem: FlatProblem, slots: readonly Slot[]): Proof | undefined {
  const network = toNetwork(problem);
  const earliest = computeEarliest(network);
  const latest = computeLatest(network, problem.window.end);
  const demands = problem.tasks
    .filter((task) => isMovable(task) && task.minutes > 0)
    .map(({ id, minutes }): Demand => ({
      id,
      slots: countSlots(minutes),
      from: earliest.get(id)!.start,
      to: latest.get(id)!.end,
    }))
    .sort((a, b) => a.to - b.to);
  for (const from of new Set(demands.map((demand) => demand.from).sort((a, b) => a - b))) {
    const overload = findFrom(demands, slots, from);
    if (!overload) continue;
    const { tasks, to } = overload;
    const causes = tasks.flatMap((id) => [
      ...traceChain(earliest, id, 'start').tasks,
      ...listSuccessors(problem.links, id),
    ]);
    const conflict = new Set([...tasks, ...causes, ...listAppointments(problem, from, to)]);
    return {
      conflict: problem.tasks.map(({ id }) => id).filter((id) => conflict.has(id)),
      argument: { kind: 'work', tasks, from, to },
    };
  }
  return undefined;
}

/** The appointments that take time or capacity from a stretch of time: those of all its weeks, since a week's capacity is shared. */
function listAppointments({ calendar, tasks }: FlatProblem, from: Instant, to: Instant): readonly string[] {
  const getWeekOf = (instant: Instant) => getWeek(calendar.getDay(instant));
  return tasks
    .filter(
      ({ fixedStart, minutes }) =>
        fixedStart !== undefined &&
        getWeekOf(fixedStart) <= getWeekOf(to) &&
        getWeekOf(fixedStart + minutes) >= getWeekOf(from),
    )
    .map(({ id }) => id);
}

/** Compares, for each end, what the tasks between `from` and that end need with what the slots can hold. */
function findFrom(demands: readonly Demand[], slots: readonly Slot[], from: Instant) {
  const measure = createRoomMeasure(slots, from);
  const tasks: Demand[] = [];
  let needed = 0;
  for (const demand of demands) {
    if (demand.from < from) continue;
    tasks.push(demand);
    needed += demand.slots;
    const room = measure(demand.to);
    if (needed > room) return { tasks: dropSurplus(tasks, needed - room), to: demand.to };
  }
  return undefined;
}

/** Leaves out what the overload does not need, the largest tasks last, so that the conflict is short. */
function dropSurplus(tasks: readonly Demand[], surplus: number): readonly string[] {
  let left = surplus;
  const kept = tasks
    .toSorted((a, b) => a.slots - b.slots)
    .filter(({ slots }) => {
      if (slots >= left) return true;
      left -= slots;
      return false;
    });
  return tasks.filter((task) => kept.includes(task)).map(({ id }) => id);
}

/** Counts the slots that work can fill between `from` and ascending ends, with the capacity of days and weeks. */
function createRoomMeasure(slots: readonly Slot[], from: Instant): (to: Instant) => number {
  let at = slots.findIndex(({ start }) => start >= from);
  if (at < 0) at = slots.length;
  let [room, day, dayUsed, week, weekUsed] = [0, -Infinity, 0, -Infinity, 0];
  return (to) => {
    for (; at < slots.length && slots[at]!.start + SLOT_MINUTES <= to; at++) {
      const slot = slots[at]!;
      if (slot.day !== day) [day, dayUsed] = [slot.day, 0];
      if (slot.week !== week) [week, weekUsed] = [slot.week, 0];
      if (dayUsed >= slot.dayRoom || weekUsed >= slot.weekRoom) continue;
      room++;
      dayUsed++;
      weekUsed++;
    }
    return room;
  };
}

/** The tasks behind a task. Some may not force its latest end; what the conflict does not need is removed from it later. */
function listSuccessors(links: readonly Link[], task: string): readonly string[] {
  const found = new Set([task]);
  for (const id of found) for (const { from, to } of links) if (from === id) found.add(to);
  return [...found];
}
