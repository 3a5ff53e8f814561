import { chooseWeekdays } from '../outline/plan-sessions.js';
import type { PlanFrame } from '../outline/plan-frame.js';
import { addDays, countDays, getWeekday, weekdays, WORKDAYS, type Weekday } from '../reading/days.js';
import type { GoalReading } from '../reading/read-goal.js';
import type { HourRange } from '../reading/read-hours.js';
import type { PlanContext } from '../session.js';

/** Hours of one weekday, as the tool takes them. */
interface OpenHours {
  readonly weekday: Weekday;
  readonly from: string;
  readonly to: string;
}

/** What the words change of the calendar and the capacity. What is absent stays as it is. */
export interface StatedCapacity {
  readonly hours?: readonly OpenHours[];
  readonly minutes_per_day?: number;
  readonly minutes_per_week?: number;
}

const DEFAULT_HOURS: HourRange = { from: 9 * 60, to: 17 * 60 };
const MINUTES_OF_DAY = 24 * 60;
/** Work is placed in pieces of at least this length. */
const SLOT_MINUTES = 15;
const DEFAULT_MINUTES_PER_DAY = 240;
const DEFAULT_MINUTES_PER_WEEK = 1_200;

/** Returns the hours and the capacity that the words of the person state. */
export function buildCapacity(
  goal: GoalReading,
  context: PlanContext | undefined,
  frame: Pick<PlanFrame, 'start' | 'end' | 'hasEnd'>,
): StatedCapacity {
  const days = listOpenDays(goal, context, frame);
  const session = readSessionMinutes(goal, days?.length ?? goal.rhythm?.times ?? listUsualDays(context).length);
  const hours = days?.map((weekday) =>
    toOpenHours(weekday, extend(goal.hours ?? findUsualHours(weekday, context), session)),
  );
  return { ...(hours && { hours }), ...countCapacity(goal, days, session, context) };
}

/** The stated weekdays without those on which there is no time. Who wants something done on days that are closed works on them. */
function listOpenDays(
  goal: GoalReading,
  context: PlanContext | undefined,
  frame: Pick<PlanFrame, 'start' | 'end' | 'hasEnd'>,
): readonly Weekday[] | undefined {
  const { closedWeekdays = [] } = goal.circumstances;
  const usual = listUsualDays(context);
  const isOpen = (day: Weekday): boolean => !closedWeekdays.includes(day);
  const stated = listStatedDays(goal, context);
  // A plan that ends before it starts has no days.
  const hasDays = frame.hasEnd && (goal.dates.end ?? frame.end) >= frame.start;
  const named = stated === undefined && hasDays ? listWeekdaysWithin(frame) : weekdays;
  const days = named.some((day) => usual.includes(day)) ? stated : unite(usual, named);
  if (closedWeekdays.length === 0) return days;
  const { unit, times, weekdays: ofRhythm } = goal.rhythm ?? {};
  // A number of days per week is kept: another day takes the place of a closed one.
  if (stated !== undefined && unit === 'week' && times !== undefined && ofRhythm === undefined)
    return chooseWeekdays(times, unite(WORKDAYS, usual).filter(isOpen));
  const open = [days ?? usual, usual, weekdays].map((list) => list.filter(isOpen));
  return open.find((list) => list.length > 0) ?? days;
}

function listWeekdaysWithin({ start, end }: Pick<PlanFrame, 'start' | 'end'>): readonly Weekday[] {
  const count = Math.min(weekdays.length, countDays(start, end));
  return Array.from({ length: count }, (_, index) => getWeekday(addDays(start, index)));
}

/** The weekdays on which work is possible, if the words say so. */
function listStatedDays(
  { rhythm, hours, effort }: GoalReading,
  context: PlanContext | undefined,
): readonly Weekday[] | undefined {
  const usual = listUsualDays(context);
  if (rhythm?.unit === 'month') return hours || rhythm.weekdays ? unite(usual, rhythm.weekdays ?? []) : undefined;
  if (rhythm?.weekdays !== undefined) return rhythm.weekdays;
  if (rhythm?.unit === 'day') return weekdays;
  const times = rhythm?.times;
  if (times !== undefined && hours) return chooseWeekdays(times, times > usual.length ? weekdays : usual);
  if (times !== undefined && times > usual.length) return weekdays;
  if (rhythm === undefined && effort.perDay !== undefined) return weekdays;
  return hours ? usual : undefined;
}

function listUsualDays(context: PlanContext | undefined): readonly Weekday[] {
  const days = weekdays.filter((day) => context?.calendar.hours.some(({ weekday }) => weekday === day));
  return days.length > 0 ? days : WORKDAYS;
}

function unite(one: readonly Weekday[], other: readonly Weekday[]): readonly Weekday[] {
  return weekdays.filter((day) => one.includes(day) || other.includes(day));
}

/** First to last hour of a weekday, or of any day if it has none. */
function findUsualHours(weekday: Weekday, context: PlanContext | undefined): HourRange {
  const all = context?.calendar.hours ?? [];
  const own = all.filter((entry) => entry.weekday === weekday);
  const [entry] = own.length > 0 ? own : all;
  return entry ? { from: readClock(entry.from), to: readClock((own.at(-1) ?? entry).to) } : DEFAULT_HOURS;
}

function readClock(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return 60 * hours + minutes;
}

function readSessionMinutes({ effort, rhythm }: GoalReading, days: number): number {
  const times = rhythm?.unit === 'day' ? (rhythm.times ?? 1) : 1;
  const perDay = effort.perDay ?? (effort.perSession === undefined ? undefined : effort.perSession * times);
  return perDay ?? Math.ceil((effort.perWeek ?? 0) / Math.max(1, days));
}

/** Makes hours long enough for a session. */
function extend({ from, to }: HourRange, minutes: number): HourRange {
  const end = Math.min(MINUTES_OF_DAY, Math.max(to, from + minutes));
  return { from: Math.max(0, Math.min(from, end - minutes)), to: end };
}

function toOpenHours(weekday: Weekday, { from, to }: HourRange): OpenHours {
  const format = (minutes: number): string =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  return { weekday, from: format(from), to: format(to) };
}

function countCapacity(
  { effort, rhythm }: GoalReading,
  days: readonly Weekday[] | undefined,
  session: number,
  context: PlanContext | undefined,
): Omit<StatedCapacity, 'hours'> {
  const usualDay = context?.capacity.minutesPerDay ?? DEFAULT_MINUTES_PER_DAY;
  const usualWeek = context?.capacity.minutesPerWeek ?? DEFAULT_MINUTES_PER_WEEK;
  if (effort.perDay !== undefined) {
    const perDay = Math.max(SLOT_MINUTES, effort.perDay);
    const times = rhythm?.unit === 'week' ? rhythm.times : undefined;
    return { minutes_per_day: perDay, minutes_per_week: perDay * (times ?? days?.length ?? weekdays.length) };
  }
  if (effort.perWeek !== undefined) {
    const perDay = session > usualDay ? { minutes_per_day: Math.min(MINUTES_OF_DAY, session) } : {};
    return { ...perDay, minutes_per_week: Math.min(7 * MINUTES_OF_DAY, Math.max(SLOT_MINUTES, effort.perWeek)) };
  }
  const perWeek = session * (days?.length ?? rhythm?.times ?? 1);
  return {
    ...(session > usualDay && { minutes_per_day: Math.min(MINUTES_OF_DAY, session) }),
    ...(perWeek > usualWeek && { minutes_per_week: Math.min(7 * MINUTES_OF_DAY, perWeek) }),
  };
}
