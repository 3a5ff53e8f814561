import { Temporal } from 'temporal-polyfill';
import type { Interval } from '../calendar/instant.js';

const MS_PER_MINUTE = 60_000;
const NS_PER_MINUTE = 60_000_000_000;

/**
 * Writes a zone as a VTIMEZONE of RFC 5545, from the first day of a plan to its last: each change of the clock in between with its date. So the file
 * says the same as the calendar that the plan was made with, whatever version of the zone its reader knows.
 */
export function buildTimeZone(zone: string, { start, end }: Interval): string {
  const last = toTime(end, zone);
  let time = toTime(start, zone);
  // The time before the first change belongs to an observance as well.
  const parts = [buildObservance('STANDARD', '19700101T000000', time, time)];
  for (
    let change = time.getTimeZoneTransition('next');
    change !== null && Temporal.ZonedDateTime.compare(change, last) <= 0;
    change = time.getTimeZoneTransition('next')
  ) {
    const before = change.subtract({ milliseconds: 1 });
    const kind = change.offsetNanoseconds > before.offsetNanoseconds ? 'DAYLIGHT' : 'STANDARD';
    parts.push(buildObservance(kind, formatOnset(change, before), before, change));
    time = change;
  }
  return ['BEGIN:VTIMEZONE', `TZID:${zone}`, ...parts, 'END:VTIMEZONE'].join('\r\n');
}

function toTime(instant: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant * MS_PER_MINUTE).toZonedDateTimeISO(zone);
}

function buildObservance(
  kind: 'STANDARD' | 'DAYLIGHT',
  onset: string,
  before: Temporal.ZonedDateTime,
  after: Temporal.ZonedDateTime,
): string {
  return [
    `BEGIN:${kind}`,
    `DTSTART:${onset}`,
    `TZOFFSETFROM:${formatOffset(before)}`,
    `TZOFFSETTO:${formatOffset(after)}`,
    `END:${kind}`,
  ].join('\r\n');
}

/** The onset by the clock as it was before the change, as RFC 5545 says. */
function formatOnset(change: Temporal.ZonedDateTime, before: Temporal.ZonedDateTime): string {
  const wall = change.toInstant().toZonedDateTimeISO('UTC').add({ nanoseconds: before.offsetNanoseconds });
  return wall.toPlainDateTime().toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '');
}

function formatOffset({ offsetNanoseconds }: Temporal.ZonedDateTime): string {
  const minutes = Math.abs(offsetNanoseconds) / NS_PER_MINUTE;
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${offsetNanoseconds < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}${pad(Math.floor(minutes % 60))}`;
}
