import { type DayNumber, formatDay, getWeekday, type Instant, type Interval } from '../../calendar/instant.js';
import type { WorkingCalendar } from '../../calendar/working-calendar.js';

/** Left edge and width of the area in which time is drawn, in pixels. */
export const CHART_LEFT = 300;
export const CHART_WIDTH = 960;
/** Width that a label of the axis needs, in pixels. */
const LABEL_WIDTH = 62;
/** Days up to which closed days are shaded; a longer plan has its months shaded in turn. */
const MAX_SHADED_DAYS = 366;

/** Dates of a plan and where they are in the picture. */
export class TimeScale {
  readonly first: DayNumber;
  readonly last: DayNumber;
  private readonly start: Instant;
  private readonly end: Instant;

  /** `span`: the work and the dates of the plan. */
  constructor(
    readonly calendar: WorkingCalendar,
    span: Interval,
  ) {
    this.first = calendar.getDay(span.start);
    // An instant at midnight belongs to the day before.
    this.last = Math.max(this.first, calendar.getDay(span.end - 1));
    this.start = calendar.getWholeDay(this.first).start;
    this.end = calendar.getWholeDay(this.last).end;
  }

  get days(): number {
    return this.last - this.first + 1;
  }

  /** Horizontal position of an instant. */
  getX(instant: Instant): number {
    return CHART_LEFT + ((instant - this.start) / (this.end - this.start)) * CHART_WIDTH;
  }

  /** Horizontal position of the beginning of a date. */
  getDayX(day: DayNumber): number {
    return this.getX(this.calendar.getWholeDay(day).start);
  }
}

/** A label of the axis at the beginning of a date. */
export interface AxisLabel {
  readonly day: DayNumber;
  readonly text: string;
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const readDay = (day: DayNumber) => formatDay(day).split('-').map(Number) as [number, number, number];

/** How the axis is divided, finest first. `starts`: whether a part begins with a date; `group`: what its upper line names. */
const divisions: readonly {
  readonly meanDays: number;
  readonly group: 'month' | 'year';
  readonly starts: (day: DayNumber) => boolean;
  readonly write: (day: DayNumber) => string;
}[] = [
  {
    ...{ meanDays: 1, group: 'month', starts: () => true },
    write: (day) => `${dayNames[getWeekday(day) - 1]} ${readDay(day)[2]}`,
  },
  ...[1, 2].map((weeks) => ({
    ...{ meanDays: 7 * weeks, group: 'month' as const },
    starts: (day: DayNumber) => getWeekday(day) === 1 && Math.floor((day + 3) / 7) % weeks === 0,
    write: (day: DayNumber) => `${readDay(day)[2]} ${monthNames[readDay(day)[1] - 1]}`,
  })),
  ...[1, 3, 12].map((months) => ({
    ...{ meanDays: 30.4 * months, group: 'year' as const },
    starts: (day: DayNumber) => readDay(day)[2] === 1 && (readDay(day)[1] - 1) % months === 0,
    write: (day: DayNumber) => (months === 12 ? String(readDay(day)[0]) : monthNames[readDay(day)[1] - 1]!),
  })),
];

/** Divides the axis as finely as its labels have room. */
export function listAxisLabels(scale: TimeScale): {
  readonly labels: readonly AxisLabel[];
  readonly groups: readonly AxisLabel[];
} {
  const division =
    divisions.find(({ meanDays }) => (scale.days / meanDays) * LABEL_WIDTH <= CHART_WIDTH) ?? divisions.at(-1)!;
  const days = Array.from({ length: scale.days }, (_, index) => scale.first + index);
  const isGroupStart = (day: DayNumber) => {
    const [, month, date] = readDay(day);
    return date === 1 && (division.group === 'month' || month === 1);
  };
  const writeGroup = (day: DayNumber) => {
    const [year, month] = readDay(day);
    return division.group === 'month' ? `${monthNames[month - 1]} ${year}` : String(year);
  };
  return {
    // The first part may be shorter; if its label has no room, it is left out.
    labels: days
      .filter((day) => day === scale.first || division.starts(day))
      .map((day) => ({ day, text: division.write(day) })),
    groups: days
      .filter((day) => day === scale.first || isGroupStart(day))
      .map((day) => ({ day, text: writeGroup(day) })),
  };
}

/** What is shaded: closed days, or every second month of a plan of more than a year. */
export function listShades(scale: TimeScale): {
  readonly kind: 'closed' | 'month';
  readonly spans: readonly (readonly [DayNumber, DayNumber])[];
} {
  const kind = scale.days > MAX_SHADED_DAYS ? 'month' : 'closed';
  const isShaded = (day: DayNumber) =>
    kind === 'month' ? readDay(day)[1] % 2 === 0 : scale.calendar.openIntervals(day).length === 0;
  const spans: [DayNumber, DayNumber][] = [];
  for (let day = scale.first; day <= scale.last; day++) {
    const last = spans.at(-1);
    if (!isShaded(day)) continue;
    if (last?.[1] === day) last[1] = day + 1;
    else spans.push([day, day + 1]);
  }
  return { kind, spans };
}
