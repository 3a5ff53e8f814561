import { formatDay, formatInstant, getWeek, type Instant } from '../calendar/instant.js';
import { joinIntervals } from '../calendar/join-intervals.js';
import type { WorkingCalendar } from '../calendar/working-calendar.js';
import type { Capacity } from '../schedule/schedule-problem.js';
import type { Work } from './list-work.js';
import { getMonday, sumMinutes } from './measure-utilisation.js';

/** What is compared: the work of a plan, and that of the other plans of its person. */
export interface Portfolios {
  readonly own: readonly Work[];
  readonly others: readonly Work[];
  readonly calendar: WorkingCalendar;
  readonly capacity: Capacity;
}

/**
 * Why a plan and the others do not go together.
 * - `overlap`: a task is at the same time as one of another plan.
 * - `day`, `week`: there is more work than fits. Where the plan alone exceeds the capacity, or the others alone are there, is no conflict.
 */
export type PortfolioConflict =
  | {
      readonly kind: 'overlap';
      readonly task: string;
      readonly start: string;
      readonly end: string;
      readonly other: { readonly plan: string; readonly task: string; readonly title: string };
    }
  | {
      readonly kind: 'day' | 'week';
      /** The day, or the Monday of the week. */
      readonly from: string;
      readonly minutes: number;
      readonly capacityMinutes: number;
      readonly tasks: readonly string[];
    };

/** Finds all conflicts, overlaps first. Work of which only the day is known overlaps with nothing, but it counts for its day and week. */
export function findPortfolioConflicts(portfolios: Portfolios): readonly PortfolioConflict[] {
  return [...findOverlaps(portfolios), ...findExcess(portfolios, 'day'), ...findExcess(portfolios, 'week')];
}

function findOverlaps({ own, others }: Portfolios): readonly PortfolioConflict[] {
  const exact = others.filter(({ isExact }) => isExact);
  return own
    .filter(({ isExact }) => isExact)
    .flatMap(({ task, start, end }) =>
      exact
        .filter((other) => overlaps(other, { start, end }))
        .map((other): PortfolioConflict => ({
          ...{ kind: 'overlap', task, start: formatInstant(start), end: formatInstant(end) },
          other: { plan: other.plan, task: other.task, title: other.title },
        })),
    );
}

/** Whether two times have an instant in common. */
export function overlaps(
  one: { readonly start: Instant; readonly end: Instant },
  other: { readonly start: Instant; readonly end: Instant },
): boolean {
  return one.start < other.end && other.start < one.end;
}

/** Whether work fits alone, but not beside that of other plans. */
export function exceeds(own: number | undefined, others: number | undefined, limit: number): boolean {
  return own !== undefined && others !== undefined && others > 0 && own <= limit && own + others > limit;
}

function findExcess(
  { own, others, calendar, capacity }: Portfolios,
  kind: 'day' | 'week',
): readonly PortfolioConflict[] {
  const unit = kind === 'day' ? 'days' : 'weeks';
  const limit = kind === 'day' ? capacity.minutesPerDay : capacity.minutesPerWeek;
  const mine = sumMinutes(own, calendar)[unit];
  const theirs = sumMinutes(joinIntervals(others), calendar)[unit];
  return [...mine]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([key, minutes]): PortfolioConflict[] => {
      const taken = theirs.get(key) ?? 0;
      if (!exceeds(minutes, taken, limit)) return [];
      const isInside = ({ start }: Work) => {
        const day = calendar.getDay(start);
        return (kind === 'day' ? day : getWeek(day)) === key;
      };
      const tasks = [...new Set(own.filter(isInside).map(({ task }) => task))];
      const from = formatDay(kind === 'day' ? key : getMonday(key));
      return [{ kind, from, minutes: minutes + taken, capacityMinutes: limit, tasks }];
    });
}
