import { expandRecurrence, RecurrenceError } from '../calendar/expand-recurrence.js';
import { type DayNumber, formatDay } from '../calendar/instant.js';
import { toUtcStamp } from '../calendar/wall-clock.js';
import type { WorkingCalendar } from '../calendar/working-calendar.js';

/**
 * Writes the end of a rule as a moment in UTC, as RFC 5545 requires of rules with a zone: a rule that ends on a day includes it. Other parts stay.
 */
export function normalizeRule(rule: string, zone: string): string {
  return rule.replace(
    /(^|;)UNTIL=(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2}))?(Z?)(?=;|$)/,
    (whole, before: string, year, month, day, hour = '23', minute = '59', second = '59', utc = '') =>
      utc === 'Z' ? whole : `${before}UNTIL=${toUtcStamp(`${year}-${month}-${day}T${hour}:${minute}:${second}`, zone)}`,
  );
}

/** The dates of a rule whose first date is not before a date. None if the rule cannot be expanded: what is wrong is said when it is scheduled. */
export function listRuleDays(rule: string, from: DayNumber, calendar: WorkingCalendar): readonly DayNumber[] {
  try {
    // At noon no zone changes its clock.
    const starts = expandRecurrence({ rule, firstStart: `${formatDay(from)}T12:00` }, calendar.zone);
    return starts.map((start) => calendar.getDay(start));
  } catch (error) {
    if (error instanceof RecurrenceError) return [];
    throw error;
  }
}

/** Days after which the search for an open date of a rule ends. */
const MAX_ATTEMPTS = 400;

/**
 * The first open dates, from a date on, on which a rule can begin so that it has an occurrence on it: the first of all, and those less than `count`
 * days after it.
 */
export function listFirstDays(
  rule: string,
  from: DayNumber,
  { calendar, count }: { readonly calendar: WorkingCalendar; readonly count: number },
): readonly DayNumber[] {
  // An interval counts from the first date, so that it does not matter for where the rule begins.
  const once = `${rule.replaceAll(/(^|;)(?:COUNT|UNTIL|INTERVAL)=[^;]*/g, '')};COUNT=1`.replace(/^;/, '');
  const found: DayNumber[] = [];
  let day: DayNumber | undefined = from;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && found.length < count; attempt++) {
    day = listRuleDays(once, day, calendar)[0];
    if (day === undefined || (found.length > 0 && day >= found[0]! + count)) break;
    if (calendar.openIntervals(day).length > 0) found.push(day);
    day++;
  }
  return found;
}
