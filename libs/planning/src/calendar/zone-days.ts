import { Temporal } from 'temporal-polyfill';
import { type DayNumber, formatDay, type Instant, type Interval, MINUTES_PER_DAY } from './instant.js';

/** Part of a date in which the distance to UTC does not change. Local minutes are instant + offset. */
export interface ZoneSegment extends Interval {
  readonly offset: number;
}

const MS_PER_MINUTE = 60_000;
const NS_PER_MINUTE = 60_000_000_000;

/** One table per zone, since dates do not change and their computation takes most of the time of a calendar. */
const tables = new Map<string, ZoneDays>();

/** The dates of a zone. Throws a RangeError for a zone that is unknown. */
export function getZoneDays(zone: string): ZoneDays {
  const known = tables.get(zone) ?? new ZoneDays(zone);
  tables.set(zone, known);
  return known;
}

/**
 * Finds the instants that belong to a date in a zone. A usual date has one segment; one with a change of the clock has two; one that a zone
 * skipped (Samoa, 2011-12-30) has none. Dates are computed once. Valid from 1973 on: older offsets may have seconds.
 */
export class ZoneDays {
  private readonly segments = new Map<DayNumber, readonly ZoneSegment[]>();
  private readonly starts = new Map<DayNumber, { readonly at: Instant; readonly offset: number }>();

  /** Throws a RangeError for a zone that is unknown. */
  constructor(readonly zone: string) {
    this.getStart(0);
  }

  /** The segments of a date, in their order. */
  getSegments(day: DayNumber): readonly ZoneSegment[] {
    const known = this.segments.get(day);
    if (known) return known;
    const made = this.findSegments(day);
    this.segments.set(day, made);
    return made;
  }

  /** The date on the wall at an instant. */
  getDay(instant: Instant): DayNumber {
    // Local dates differ from that of UTC by at most one.
    const utc = Math.floor(instant / MINUTES_PER_DAY);
    if (instant < this.getStart(utc).at) return utc - 1;
    return instant < this.getStart(utc + 1).at ? utc : utc + 1;
  }

  private findSegments(day: DayNumber): readonly ZoneSegment[] {
    const first = this.getStart(day);
    const next = this.getStart(day + 1);
    if (next.at === first.at) return [];
    if (first.offset === next.offset) return [{ start: first.at, end: next.at, offset: first.offset }];
    const change = toDateTime(first.at, this.zone).getTimeZoneTransition('next')!;
    const at = change.epochMilliseconds / MS_PER_MINUTE;
    const parts = [
      { start: first.at, end: Math.min(at, next.at), offset: first.offset },
      { start: at, end: next.at, offset: change.offsetNanoseconds / NS_PER_MINUTE },
    ];
    return parts.filter(({ start, end }) => start < end);
  }

  private getStart(day: DayNumber): { readonly at: Instant; readonly offset: number } {
    const known = this.starts.get(day);
    if (known) return known;
    const time = Temporal.PlainDate.from(formatDay(day)).toZonedDateTime(this.zone);
    const made = { at: time.epochMilliseconds / MS_PER_MINUTE, offset: time.offsetNanoseconds / NS_PER_MINUTE };
    this.starts.set(day, made);
    return made;
  }
}

function toDateTime(instant: Instant, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant * MS_PER_MINUTE).toZonedDateTimeISO(zone);
}
