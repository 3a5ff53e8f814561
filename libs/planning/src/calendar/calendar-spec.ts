/** Part of a day by the clock on the wall: `from` is part of it, `to` is not. `to` may be `24:00`; a span over midnight is two spans. */
export interface ClockSpan {
  readonly from: string;
  readonly to: string;
}

/** When a person works, as the person says it. */
export interface CalendarSpec {
  /** IANA zone, such as `Europe/Berlin`. */
  readonly zone: string;
  /** Working hours per weekday: index 0 is Monday, 6 is Sunday. */
  readonly hours: readonly (readonly ClockSpan[])[];
  /** Dates without work, such as holidays. */
  readonly closedDays: readonly string[];
  /** Dates with hours of their own, instead of those of the weekday. They count before closed days. */
  readonly openDays: readonly { readonly date: string; readonly hours: readonly ClockSpan[] }[];
}

/** Minutes of the day, by the clock on the wall. */
export interface MinuteSpan {
  readonly from: number;
  readonly to: number;
}

/** Reads spans, sorts them and joins those that touch or overlap. Throws a RangeError for a span that is empty or no time of day. */
export function parseSpans(spans: readonly ClockSpan[]): readonly MinuteSpan[] {
  const sorted = spans.map(parseSpan).sort((a, b) => a.from - b.from);
  const joined: { from: number; to: number }[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else joined.push({ ...span });
  }
  return joined;
}

function parseSpan({ from, to }: ClockSpan): MinuteSpan {
  const span = { from: parseClock(from), to: parseClock(to) };
  if (span.from >= span.to)
    throw new RangeError(`The hours from ${from} to ${to} are empty. Split hours over midnight.`);
  return span;
}

/** Reads a time of day as minutes since midnight. */
function parseClock(text: string): number {
  const [, hour, minute] = /^(\d{2}):(\d{2})$/.exec(text) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  if (hour === undefined || Number(minute) > 59 || minutes > 1440) throw new RangeError(`"${text}" is no time of day.`);
  return minutes;
}
