import { MAX_OCCURRENCES } from '../calendar/expand-recurrence.js';
import { type DayNumber, getWeek, type Interval } from '../calendar/instant.js';
import { splitByDay } from '../calendar/split-by-day.js';
import type { WorkingCalendar } from '../calendar/working-calendar.js';
import type { Capacity } from '../schedule/schedule-problem.js';

/** Rating of an appointment without time of its own: more than that of all occurrences of a rule that exceed the capacity. */
export const NO_TIME = MAX_OCCURRENCES + 1;

/** Appointments and taken time per day, against which new appointments are tried. */
export class DayLoad {
  readonly #busy = new Map<DayNumber, Interval[]>();
  readonly #days = new Map<DayNumber, number>();
  readonly #weeks = new Map<number, number>();

  constructor(
    readonly calendar: WorkingCalendar,
    private readonly capacity: Capacity,
    private readonly window: Interval,
  ) {}

  add(interval: Interval): void {
    for (const { day, minutes } of splitByDay(this.calendar, interval)) {
      const busy = this.#busy.get(day) ?? [];
      this.#busy.set(day, busy);
      busy.push(interval);
      this.#days.set(day, (this.#days.get(day) ?? 0) + minutes);
      this.#weeks.set(getWeek(day), (this.#weeks.get(getWeek(day)) ?? 0) + minutes);
    }
  }

  /**
   * Rates how far appointments cannot take place beside what is there: 1 for each that exceeds the capacity of its day or week, and NO_TIME for each
   * without time of its own, which no change of the capacity would help. Rating ends at `limit`.
   */
  rateConflicts(appointments: readonly (Interval & { readonly day: DayNumber })[], limit: number): number {
    const weeks = new Map<number, number>();
    let rating = 0;
    for (const { start, end, day } of appointments) {
      const week = getWeek(day);
      const minutes = (weeks.get(week) ?? this.#weeks.get(week) ?? 0) + end - start;
      weeks.set(week, minutes);
      const isFull = minutes > this.capacity.minutesPerWeek || this.#isFull(day, end - start);
      rating += this.#isFree({ start, end }, day) ? Number(isFull) : NO_TIME;
      if (rating >= limit) break;
    }
    return rating;
  }

  #isFull(day: DayNumber, minutes: number): boolean {
    return (this.#days.get(day) ?? 0) + minutes > this.capacity.minutesPerDay;
  }

  #isFree({ start, end }: Interval, day: DayNumber): boolean {
    const isOpen = this.calendar.openIntervals(day).some((open) => open.start <= start && end <= open.end);
    const isBusy = this.#busy.get(day)?.some((other) => other.start < end && start < other.end) ?? false;
    return isOpen && !isBusy && end <= this.window.end;
  }
}
