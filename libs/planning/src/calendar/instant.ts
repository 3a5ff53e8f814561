/** A point in time: whole minutes since 1970-01-01T00:00Z. Minutes, because no rule of a calendar is finer, and sums of them stay exact. */
export type Instant = number;

/** A stretch of time: `start` is part of it, `end` is not. */
export interface Interval {
  readonly start: Instant;
  readonly end: Instant;
}

/** A date without a zone: days since 1970-01-01. */
export type DayNumber = number;

export const MINUTES_PER_DAY = 1440;
const MS_PER_DAY = 86_400_000;
const MS_PER_MINUTE = 60_000;

/** Reads a date such as `2028-02-29`. Throws a RangeError for a date that does not exist. */
export function parseDay(text: string): DayNumber {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse accepts February 30 in some engines and moves it to March.
  if (Number.isNaN(ms) || formatDay(ms / MS_PER_DAY) !== text) throw new RangeError(`"${text}" is no date.`);
  return ms / MS_PER_DAY;
}

/** Writes a date as `2028-02-29`. */
export function formatDay(day: DayNumber): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}

/** Weekday of a date by ISO 8601: 1 is Monday, 7 is Sunday. */
export function getWeekday(day: DayNumber): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** Number of the week that a date belongs to. Weeks begin on Monday; week 0 contains 1970-01-01. */
export function getWeek(day: DayNumber): number {
  return Math.floor((day + 3) / 7);
}

/** Reads an ISO instant such as `2026-03-29T18:00:00Z`. Seconds are cut off. Throws a RangeError for other text. */
export function parseInstant(text: string): Instant {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError(`"${text}" is no instant.`);
  return Math.floor(ms / MS_PER_MINUTE);
}

/** Writes an instant in UTC, such as `2026-03-29T18:00:00.000Z`. */
export function formatInstant(instant: Instant): string {
  return new Date(instant * MS_PER_MINUTE).toISOString();
}
