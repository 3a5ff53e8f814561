import type { PlanContext } from '../artifacts/plan-context.js';
import { weekdays } from '../artifacts/strategy-profile.js';
import { type CalendarSpec, parseSpans } from '../calendar/calendar-spec.js';
import { type Instant, type Interval, parseDay } from '../calendar/instant.js';
import type { WorkingCalendar } from '../calendar/working-calendar.js';
import type { PlacementProfile } from '../schedule/schedule-problem.js';

/** Days for which a plan without an end is scheduled: two years. Longer plans have an end of their own. */
export const MAX_DAYS_WITHOUT_END = 731;

/** The working hours of a context as a calendar. Holidays are closed. */
export function buildCalendarSpec({ zone, calendar: { hours, holidays } }: PlanContext): CalendarSpec {
  return {
    zone,
    hours: weekdays.map((weekday) =>
      hours.filter((span) => span.weekday === weekday).map(({ from, to }) => ({ from, to })),
    ),
    closedDays: holidays.map(({ day }) => day),
    openDays: [],
  };
}

/** From the beginning of the first day to the end of the last day of a plan. */
export function buildWindow({ dates }: PlanContext, calendar: WorkingCalendar): Interval {
  const first = parseDay(dates.start);
  const last = dates.end === undefined ? first + MAX_DAYS_WITHOUT_END - 1 : parseDay(dates.end);
  return { start: calendar.getWholeDay(first).start, end: calendar.getWholeDay(last).end };
}

/** The end of a day such as `2027-05-31`. */
export function getEndOfDay(calendar: WorkingCalendar, day: string): Instant {
  return calendar.getWholeDay(parseDay(day)).end;
}

/** How work is laid out. A plan without an end has no time over which work could be spread, so that it begins as early as possible. */
export function buildProfile({ strategy, dates }: PlanContext): PlacementProfile {
  return {
    distribution: dates.end === undefined ? 'front_loaded' : strategy.loading,
    bufferShare: strategy.bufferShare,
    preferredWeekdays: strategy.preferredWeekdays.map((weekday) => weekdays.indexOf(weekday) + 1),
  };
}

/**
 * Open minutes of a working day: the mean of the weekdays that have hours, since lags are counted in open time. The capacity would be wrong, because
 * it says how much of that time one person works.
 */
export function measureWorkingDay({ hours }: CalendarSpec): number {
  const days = hours
    .map((spans) => parseSpans(spans).reduce((sum, { from, to }) => sum + to - from, 0))
    .filter((minutes) => minutes > 0);
  return Math.round(days.reduce((sum, minutes) => sum + minutes, 0) / days.length);
}
