import { Temporal } from 'temporal-polyfill';
import { type DayNumber, formatDay, type Instant, MINUTES_PER_DAY } from './instant.js';
import { getZoneDays } from './zone-days.js';

/** Minutes since midnight that the clock on the wall shows at an instant of a date. */
export function toWallMinute(zone: string, day: DayNumber, instant: Instant): number {
  const segment = getZoneDays(zone)
    .getSegments(day)
    .find(({ start, end }) => start <= instant && instant < end);
  return instant + (segment?.offset ?? 0) - day * MINUTES_PER_DAY;
}

/** The first instant of a date at which the clock on the wall shows a time; `undefined` if the clock skips it. */
export function fromWallMinute(zone: string, day: DayNumber, minute: number): Instant | undefined {
  for (const { start, end, offset } of getZoneDays(zone).getSegments(day)) {
    const instant = day * MINUTES_PER_DAY + minute - offset;
    if (start <= instant && instant < end) return instant;
  }
  return undefined;
}

/** Writes minutes since midnight as a time of day, such as `09:30`. */
export function formatWallMinute(minute: number): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

/** Converts a date and time on the wall, such as `2027-01-31T23:59:59`, to UTC as RFC 5545 writes it. */
export function toUtcStamp(text: string, zone: string): string {
  const instant = Temporal.PlainDateTime.from(text).toZonedDateTime(zone).toInstant();
  return instant.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '');
}

/** Writes an instant as date and time on the wall of a zone, such as `2027-01-04T09:30`. */
export function formatWallTime(zone: string, instant: Instant): string {
  const day = getZoneDays(zone).getDay(instant);
  return `${formatDay(day)}T${formatWallMinute(toWallMinute(zone, day, instant))}`;
}
