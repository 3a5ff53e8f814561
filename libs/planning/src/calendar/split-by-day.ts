import type { DayNumber, Interval } from './instant.js';
import type { WorkingCalendar } from './working-calendar.js';

/** Divides an interval among the dates on the wall, each with the minutes that lie on it. */
export function splitByDay(
  calendar: WorkingCalendar,
  { start, end }: Interval,
): readonly { readonly day: DayNumber; readonly minutes: number }[] {
  const parts: { day: DayNumber; minutes: number }[] = [];
  const last = calendar.getDay(end);
  for (let day = calendar.getDay(start); day <= last; day++) {
    const whole = calendar.getWholeDay(day);
    const minutes = Math.min(end, whole.end) - Math.max(start, whole.start);
    if (minutes > 0) parts.push({ day, minutes });
  }
  return parts;
}
