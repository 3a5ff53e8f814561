import { type CalendarSpec, type MinuteSpan, parseSpans } from './calendar-spec.js';
import { type DayNumber, getWeekday, type Instant, type Interval, MINUTES_PER_DAY, parseDay } from './instant.js';
import { joinIntervals } from './join-intervals.js';
import { getZoneDays, type ZoneDays } from './zone-days.js';

/**
 * The open time of a person. An instant is open if the clock on the wall, at that instant and in the zone, shows a time within the hours of its
 * date. So an hour that the clock skips has no open time, and one that it shows twice has twice as much. Days are computed once.
 */
export class WorkingCalendar {
  readonly zone: string;
  private readonly zoneDays: ZoneDays;
  private readonly weekdays: readonly (readonly MinuteSpan[])[];
  private readonly exceptions = new Map<DayNumber, readonly MinuteSpan[]>();
  private readonly days = new Map<DayNumber, readonly Interval[]>();

  /** Throws a RangeError for a zone, date or hours that do not exist, and for a week without any hours, in which no search would end. */
  constructor(spec: CalendarSpec) {
    this.zone = spec.zone;
    this.zoneDays = getZoneDays(spec.zone);
    this.weekdays = spec.hours.map(parseSpans);
    if (this.weekdays.length !== 7) throw new RangeError('A calendar has hours for seven weekdays, Monday first.');
    if (this.weekdays.every((spans) => spans.length === 0))
      throw new RangeError('A calendar has hours on some weekday.');
    for (const date of spec.closedDays) this.exceptions.set(parseDay(date), []);
    for (const { date, hours } of spec.openDays) this.exceptions.set(parseDay(date), parseSpans(hours));
  }

  /** The date on the wall at an instant. */
  getDay(instant: Instant): DayNumber {
    return this.zoneDays.getDay(instant);
  }

  /** All time of a date, open or closed; 23 to 25 hours. */
  getWholeDay(day: DayNumber): Interval {
    const segments = this.zoneDays.getSegments(day);
    return { start: segments[0]?.start ?? 0, end: segments.at(-1)?.end ?? 0 };
  }

  /** The open time of a date, in its order. */
  openIntervals(day: DayNumber): readonly Interval[] {
    const known = this.days.get(day);
    if (known) return known;
    const spans = this.exceptions.get(day) ?? this.weekdays[getWeekday(day) - 1]!;
    const midnight = day * MINUTES_PER_DAY;
    const open = this.zoneDays.getSegments(day).flatMap(({ start, end, offset }) =>
      spans
        .map(({ from, to }) => ({
          start: Math.max(start, midnight + from - offset),
          end: Math.min(end, midnight + to - offset),
        }))
        .filter((interval) => interval.start < interval.end),
    );
    // Across a change of the clock within open time, the parts touch.
    const joined = joinIntervals(open);
    this.days.set(day, joined);
    return joined;
  }

  /** The earliest open instant that is not before `instant`. */
  nextOpen(instant: Instant): Instant {
    for (const { start } of this.openAfter(instant)) return Math.max(start, instant);
    throw new RangeError('A calendar has no last open day.');
  }

  /** Tells whether work can end at an instant: it is within open time, or the moment at which open time ends. */
  canEndAt(instant: Instant): boolean {
    const intervals = [...this.openIntervals(this.getDay(instant - 1)), ...this.openIntervals(this.getDay(instant))];
    return intervals.some(({ start, end }) => start < instant && instant <= end);
  }

  /** The latest instant that is not after `instant` and at which work can end. */
  previousClose(instant: Instant): Instant {
    for (const { end } of this.openBefore(instant)) return Math.min(end, instant);
    throw new RangeError('A calendar has no first open day.');
  }

  /** The earliest instant up to which `minutes` of open time have passed since `instant`. Zero minutes return the instant itself. */
  addWorkingMinutes(instant: Instant, minutes: number): Instant {
    if (minutes === 0) return instant;
    let rest = minutes;
    for (const { start, end } of this.openAfter(instant)) {
      const from = Math.max(start, instant);
      if (rest <= end - from) return from + rest;
      rest -= end - from;
    }
    throw new RangeError('A calendar has no last open day.');
  }

  /** The latest instant since which `minutes` of open time pass until `instant`. Zero minutes return the instant itself. */
  subtractWorkingMinutes(instant: Instant, minutes: number): Instant {
    if (minutes === 0) return instant;
    let rest = minutes;
    for (const { start, end } of this.openBefore(instant)) {
      const to = Math.min(end, instant);
      if (rest <= to - start) return to - rest;
      rest -= to - start;
    }
    throw new RangeError('A calendar has no first open day.');
  }

  /** Minutes of open time between two instants; negative if `to` is before `from`. */
  workingMinutesBetween(from: Instant, to: Instant): number {
    if (to < from) return -this.workingMinutesBetween(to, from);
    let minutes = 0;
    for (const { start, end } of this.openAfter(from)) {
      if (start >= to) break;
      minutes += Math.min(end, to) - Math.max(start, from);
    }
    return minutes;
  }

  /** The instant after `minutes` by the clock, open or not, moved to the next open time. */
  addElapsed(instant: Instant, minutes: number): Instant {
    return this.nextOpen(instant + minutes);
  }

  /** Open intervals that end after an instant. */
  private *openAfter(instant: Instant): Generator<Interval> {
    for (let day = this.getDay(instant); ; day++) {
      for (const interval of this.openIntervals(day)) if (interval.end > instant) yield interval;
    }
  }

  /** Open intervals that begin before an instant, latest first. */
  private *openBefore(instant: Instant): Generator<Interval> {
    for (let day = this.getDay(instant); ; day--) {
      for (const interval of this.openIntervals(day).toReversed()) if (interval.start < instant) yield interval;
    }
  }
}
