import { type DayNumber, formatDay, type Instant } from '../calendar/instant.js';
import { formatWallMinute, fromWallMinute, toWallMinute } from '../calendar/wall-clock.js';
import { SLOT_MINUTES } from '../schedule/schedule-problem.js';
import { type DayLoad, NO_TIME } from './day-load.js';
import { listFirstDays, listRuleDays } from './series-days.js';

/** Dates on which a task that recurs may begin: those of a week, so that a rule without weekdays finds a day with room. */
const MAX_FIRST_DAYS = 7;

/** A recurring task that has no time yet. */
export interface UnplacedSeries {
  readonly id: string;
  readonly minutes: number;
  readonly rule: string;
  readonly exceptDays: readonly string[];
  /** Day on which it has to begin. */
  readonly fixedDay?: DayNumber;
}

interface Choice {
  readonly day: DayNumber;
  readonly minute: number;
  readonly conflicts: number;
}

/**
 * Finds the first start of a recurring task, as date and time on the wall: the earliest quarter hour, of the first week in which the rule has an open
 * date, at which no occurrence is in closed time, overlaps another appointment or exceeds the capacity. If there is none, the start with the
 * fewest such occurrences, so that the conflict that is reported is as small as it can be.
 */
export function findFirstStart(
  series: UnplacedSeries,
  load: DayLoad,
  bounds: { readonly start: Instant; readonly end: Instant },
): string {
  const { calendar } = load;
  const from = series.fixedDay ?? calendar.getDay(bounds.start);
  const count = series.fixedDay === undefined ? MAX_FIRST_DAYS : 1;
  const days = listFirstDays(series.rule, delayForEnd(series, from, load, bounds.end), { calendar, count });
  let best: Choice | undefined;
  for (const day of days) {
    const dates = listOccurrenceDays(series, day, load);
    for (const minute of listMinutes(load, day, bounds.start)) {
      const appointments = placeOccurrences(series, dates, minute, load);
      const isLate = (appointments.at(-1)?.end ?? bounds.end) < bounds.end;
      const conflicts = load.rateConflicts(appointments, best?.conflicts ?? Infinity) + (isLate ? NO_TIME : 0);
      if (conflicts < (best?.conflicts ?? Infinity)) best = { day, minute, conflicts };
      if (conflicts === 0) break;
    }
    if (best?.conflicts === 0) break;
  }
  // A rule that has no open date is reported when it is expanded.
  const { day, minute } = best ?? { day: days[0] ?? from, minute: 0 };
  return `${formatDay(day)}T${formatWallMinute(minute)}`;
}

/** A later first date, if the last occurrence has to wait for something. A rule with a last date cannot be moved in this way. */
function delayForEnd(series: UnplacedSeries, from: DayNumber, { calendar }: DayLoad, end: Instant): DayNumber {
  if (series.fixedDay !== undefined || end === -Infinity || !series.rule.includes('COUNT=')) return from;
  const last = listRuleDays(series.rule, from, calendar).at(-1);
  return last === undefined ? from : from + Math.max(0, calendar.getDay(end) - last);
}

/** Dates of the occurrences that take place. */
function listOccurrenceDays(series: UnplacedSeries, first: DayNumber, { calendar }: DayLoad): readonly DayNumber[] {
  return listRuleDays(series.rule, first, calendar).filter(
    (day) => calendar.openIntervals(day).length > 0 && !series.exceptDays.includes(formatDay(day)),
  );
}

/** Quarter hours of the open time of a date, as minutes since midnight. */
function listMinutes({ calendar }: DayLoad, day: DayNumber, earliest: Instant): readonly number[] {
  return calendar.openIntervals(day).flatMap(({ start, end }) => {
    const first = Math.max(start, earliest);
    const aligned = Math.ceil(toWallMinute(calendar.zone, day, first) / SLOT_MINUTES) * SLOT_MINUTES;
    const slots = Math.max(0, Math.ceil((end - first) / SLOT_MINUTES));
    return Array.from({ length: slots }, (_, index) => aligned + index * SLOT_MINUTES);
  });
}

/** The occurrences of a recurring task at a time of day. */
function placeOccurrences(
  { minutes }: Pick<UnplacedSeries, 'minutes'>,
  days: readonly DayNumber[],
  minute: number,
  { calendar }: Pick<DayLoad, 'calendar'>,
): readonly { readonly day: DayNumber; readonly start: Instant; readonly end: Instant }[] {
  return days.flatMap((day) => {
    const start = fromWallMinute(calendar.zone, day, minute);
    return start === undefined ? [] : [{ day, start, end: start + minutes }];
  });
}
