import { type DayNumber, getWeek, getWeekday, type Instant, type Interval } from '../calendar/instant.js';
import { splitByDay } from '../calendar/split-by-day.js';
import { type FlatProblem, listFixedTime } from './flat-problem.js';
import { getPlannedCapacity, SLOT_MINUTES } from './schedule-problem.js';

/** A slot that movable work can fill. `dayRoom` and `weekRoom`: slots that the capacity of its day and week leaves to movable work. */
export interface Slot {
  readonly start: Instant;
  readonly day: DayNumber;
  readonly week: number;
  readonly dayRoom: number;
  readonly weekRoom: number;
}

/** Leaves out more than the problem does, for a preferred distribution. */
export interface SlotFilter {
  /** ISO weekdays that are used; empty for all. */
  readonly weekdays: readonly number[];
  /** Share of the capacity of days and weeks that is used, 0 < share ≤ 1. */
  readonly share: number;
}

export const ALL_SLOTS: SlotFilter = { weekdays: [], share: 1 };

/** Lists the slots of a problem in their order: quarter hours that are open, within the window, and in no taken or fixed time. */
export function listSlots(problem: FlatProblem, { weekdays, share }: SlotFilter = ALL_SLOTS): readonly Slot[] {
  const { calendar, window, taken } = problem;
  const blocked = [...taken, ...listFixedTime(problem)].sort((a, b) => a.start - b.start);
  const planned = getPlannedCapacity(problem);
  const used = measureUse(problem, blocked);
  const countRoom = (capacity: number, usedMinutes = 0) =>
    Math.ceil(Math.max(0, Math.floor((capacity - usedMinutes) / SLOT_MINUTES)) * share);
  const slots: Slot[] = [];
  const isFree = createBlockedScan(blocked);
  for (let day = calendar.getDay(window.start); day <= calendar.getDay(window.end); day++) {
    if (weekdays.length > 0 && !weekdays.includes(getWeekday(day))) continue;
    const week = getWeek(day);
    const dayRoom = countRoom(planned.minutesPerDay, used.days.get(day));
    const weekRoom = countRoom(planned.minutesPerWeek, used.weeks.get(week));
    for (const open of calendar.openIntervals(day)) {
      const end = Math.min(open.end, window.end);
      const first = Math.ceil(Math.max(open.start, window.start) / SLOT_MINUTES) * SLOT_MINUTES;
      for (let start = first; start + SLOT_MINUTES <= end; start += SLOT_MINUTES)
        if (isFree(start)) slots.push({ start, day, week, dayRoom, weekRoom });
    }
  }
  return slots;
}

/** Minutes of blocked time per day and per week. */
function measureUse({ calendar }: FlatProblem, blocked: readonly Interval[]) {
  const days = new Map<DayNumber, number>();
  const weeks = new Map<number, number>();
  for (const { day, minutes } of blocked.flatMap((interval) => splitByDay(calendar, interval))) {
    days.set(day, (days.get(day) ?? 0) + minutes);
    weeks.set(getWeek(day), (weeks.get(getWeek(day)) ?? 0) + minutes);
  }
  return { days, weeks };
}

/** Tells of slots in ascending order whether they touch no blocked interval. The intervals are sorted by start and may overlap. */
function createBlockedScan(blocked: readonly Interval[]): (start: Instant) => boolean {
  let next = 0;
  let blockedUntil = -Infinity;
  return (start) => {
    while (next < blocked.length && blocked[next]!.start < start + SLOT_MINUTES) {
      // One that begins within the slot blocks it, even if it also ends within it.
      blockedUntil = Math.max(blockedUntil, blocked[next]!.end);
      next++;
    }
    return blockedUntil <= start;
  };
}
