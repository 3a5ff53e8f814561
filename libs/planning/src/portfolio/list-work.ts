import { expandRecurrence, RecurrenceError } from '../calendar/expand-recurrence.js';
import { type DayNumber, formatDay, type Instant, type Interval, parseInstant } from '../calendar/instant.js';
import { formatWallTime } from '../calendar/wall-clock.js';
import type { WorkingCalendar } from '../calendar/working-calendar.js';
import type { PortfolioTask } from './portfolio-task.js';

/** Time in which a task is worked on. */
export interface Work extends Interval {
  readonly plan: string;
  readonly task: string;
  readonly title: string;
  /** Whether the work is at this time; otherwise only its day is known. */
  readonly isExact: boolean;
}

/**
 * Lists the work of tasks that is within a window, by its start. A task that is longer than its work has pauses that nobody knows: its work is
 * divided evenly among its days, at the end of their open time. Occurrences on closed days do not take place.
 */
export function listWork(
  tasks: readonly PortfolioTask[],
  calendar: WorkingCalendar,
  window: Interval,
): readonly Work[] {
  return tasks
    .flatMap((task) => {
      const { plan, task: id, title } = task;
      return listOccurrences(task, calendar)
        .filter(({ start, end }) => start < window.end && window.start < end)
        .flatMap((occurrence) => placeWork(occurrence, task.workMinutes, calendar))
        .map((time): Work => ({ plan, task: id, title, ...time }));
    })
    .toSorted((one, other) => one.start - other.start || (one.task < other.task ? -1 : 1));
}

function listOccurrences(
  { start: startText, end, zone, recurrence, exceptDays = [] }: PortfolioTask,
  calendar: WorkingCalendar,
): readonly Interval[] {
  const start = parseInstant(startText);
  const minutes = parseInstant(end) - start;
  if (recurrence === undefined) return [{ start, end: start + minutes }];
  const takesPlace = (at: Instant) => {
    const day = calendar.getDay(at);
    return calendar.openIntervals(day).length > 0 && !exceptDays.includes(formatDay(day));
  };
  return expand(recurrence, zone, start)
    .filter(takesPlace)
    .map((at) => ({ start: at, end: at + minutes }));
}

/** A rule that cannot be expanded, as one of another release, counts as one appointment. */
function expand(rule: string, zone: string, start: Instant): readonly Instant[] {
  try {
    return expandRecurrence({ rule, firstStart: formatWallTime(zone, start) }, zone);
  } catch (error) {
    if (error instanceof RecurrenceError) return [start];
    throw error;
  }
}

type PlacedWork = Interval & { readonly isExact: boolean };

function placeWork(whole: Interval, workMinutes: number | undefined, calendar: WorkingCalendar): readonly PlacedWork[] {
  const length = whole.end - whole.start;
  const open = listTime(whole, calendar, (day) => calendar.openIntervals(day));
  const openMinutes = countMinutes(open.flat());
  const work = Math.min(workMinutes ?? (openMinutes > 0 ? openMinutes : length), length);
  if (work === length) return [{ ...whole, isExact: true }];
  // Other plans may have other hours than this one.
  const days = openMinutes >= work ? open : listTime(whole, calendar, (day) => [calendar.getWholeDay(day)]);
  if (work === countMinutes(days.flat())) return days.flat().map((time) => ({ ...time, isExact: true }));
  const shares = divideWork(work, days.map(countMinutes));
  return days.flatMap((day, index) => takeFromEnd(day, shares[index]!)).map((time) => ({ ...time, isExact: false }));
}

/** The time of days that is within an interval, one list per day that has some. */
function listTime(
  { start, end }: Interval,
  calendar: WorkingCalendar,
  listOfDay: (day: DayNumber) => readonly Interval[],
): readonly (readonly Interval[])[] {
  const days: (readonly Interval[])[] = [];
  for (let day = calendar.getDay(start); day <= calendar.getDay(end); day++) {
    const open = listOfDay(day)
      .map((one) => ({ start: Math.max(one.start, start), end: Math.min(one.end, end) }))
      .filter((one) => one.start < one.end);
    if (open.length > 0) days.push(open);
  }
  return days;
}

const countMinutes = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { start, end }) => sum + end - start, 0);

/** Divides minutes evenly among days with room for them: the smallest days are filled first, and the others share the rest. */
function divideWork(minutes: number, rooms: readonly number[]): readonly number[] {
  const shares = rooms.map(() => 0);
  let rest = minutes;
  const order = rooms.map((_, index) => index).sort((one, other) => rooms[one]! - rooms[other]!);
  for (const [position, index] of order.entries()) {
    const share = Math.min(rooms[index]!, Math.ceil(rest / (order.length - position)));
    shares[index] = share;
    rest -= share;
  }
  return shares;
}

/** The last `minutes` of some intervals. */
function takeFromEnd(intervals: readonly Interval[], minutes: number): readonly Interval[] {
  const taken: Interval[] = [];
  let rest = minutes;
  for (const { start, end } of intervals.toReversed()) {
    if (rest === 0) break;
    const length = Math.min(rest, end - start);
    taken.unshift({ start: end - length, end });
    rest -= length;
  }
  return taken;
}
