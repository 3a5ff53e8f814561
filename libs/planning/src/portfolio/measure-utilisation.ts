import { type DayNumber, formatDay, getWeek, type Interval } from '../calendar/instant.js';
import { splitByDay } from '../calendar/split-by-day.js';
import type { WorkingCalendar } from '../calendar/working-calendar.js';
import type { Capacity } from '../schedule/schedule-problem.js';

/** Work on a day, or in the week that begins on a Monday. `share` is that of the capacity: above 1 there is more than fits. */
interface Load {
  readonly from: string;
  readonly minutes: number;
  readonly share: number;
}

export interface Utilisation {
  readonly days: readonly Load[];
  readonly weeks: readonly Load[];
}

/** Measures how much work each day and each week has, by date. Days and weeks without work are left out; work at the same time counts twice. */
export function measureUtilisation(
  work: readonly Interval[],
  calendar: WorkingCalendar,
  { minutesPerDay, minutesPerWeek }: Capacity,
): Utilisation {
  const { days, weeks } = sumMinutes(work, calendar);
  return {
    days: toLoads(days, minutesPerDay, (day) => day),
    weeks: toLoads(weeks, minutesPerWeek, getMonday),
  };
}

/** Sums minutes of work by day and by week. */
export function sumMinutes(
  work: readonly Interval[],
  calendar: WorkingCalendar,
): { readonly days: ReadonlyMap<DayNumber, number>; readonly weeks: ReadonlyMap<number, number> } {
  const days = new Map<DayNumber, number>();
  const weeks = new Map<number, number>();
  for (const { day, minutes } of work.flatMap((interval) => splitByDay(calendar, interval))) {
    days.set(day, (days.get(day) ?? 0) + minutes);
    weeks.set(getWeek(day), (weeks.get(getWeek(day)) ?? 0) + minutes);
  }
  return { days, weeks };
}

/** The Monday with which a week begins. */
export function getMonday(week: number): DayNumber {
  return week * 7 - 3;
}

function toLoads(
  minutes: ReadonlyMap<number, number>,
  capacity: number,
  getFirst: (key: number) => DayNumber,
): readonly Load[] {
  return [...minutes]
    .sort(([one], [other]) => one - other)
    .map(([key, sum]) => ({
      ...{ from: formatDay(getFirst(key)), minutes: sum },
      share: Math.round((sum / capacity) * 100) / 100,
    }));
}
