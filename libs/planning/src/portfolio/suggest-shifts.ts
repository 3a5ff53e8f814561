import { formatInstant, getWeek, type Instant, type Interval } from '../calendar/instant.js';
import { joinIntervals } from '../calendar/join-intervals.js';
import { SLOT_MINUTES } from '../schedule/schedule-problem.js';
import { exceeds, overlaps, type Portfolios } from './find-portfolio-conflicts.js';
import type { Work } from './list-work.js';
import { sumMinutes } from './measure-utilisation.js';

/** A later time for work that is in a conflict. What depends on its task may have to move too. */
export interface SuggestedShift {
  readonly task: string;
  readonly from: string;
  readonly to: string;
  readonly toEnd: string;
}

/** Days after the present one in which a time is searched. */
const MAX_DAYS = 28;
/** Suggestions of one answer. */
const MAX_SHIFTS = 20;

/**
 * Suggests later times for work that overlaps with other plans, or for which its day or week has no room beside them. With all of them, none of this
 * work is in a conflict any more. Work for which there is no time within four weeks and the window of the plan has no suggestion.
 */
export function suggestShifts(portfolios: Portfolios, window: Interval): readonly SuggestedShift[] {
  const { own, others, calendar } = portfolios;
  const taken = joinIntervals(others);
  const theirs = sumMinutes(taken, calendar);
  const shifts: SuggestedShift[] = [];
  let placed: readonly Work[] = own;
  let mine = sumMinutes(placed, calendar);
  for (const work of own) {
    if (shifts.length === MAX_SHIFTS) break;
    if (!isInConflict(work, { mine, theirs }, portfolios)) continue;
    const rest = placed.filter((one) => one !== work);
    const start = findTime(work, { rest, taken, theirs }, portfolios, window);
    if (start === undefined) continue;
    const end = start + work.end - work.start;
    placed = [...rest, { ...work, start, end, isExact: true }];
    mine = sumMinutes(placed, calendar);
    const [from, to, toEnd] = [work.start, start, end].map(formatInstant) as [string, string, string];
    shifts.push({ task: work.task, from, to, toEnd });
  }
  return shifts;
}

type Sums = ReturnType<typeof sumMinutes>;

/** Whether work overlaps with another plan, or its day or week has more than fits and other plans have a part in it. */
function isInConflict(
  work: Work,
  { mine, theirs }: { readonly mine: Sums; readonly theirs: Sums },
  { others, calendar, capacity }: Portfolios,
): boolean {
  if (work.isExact && others.some((other) => other.isExact && overlaps(other, work))) return true;
  const day = calendar.getDay(work.start);
  return (
    exceeds(mine.days.get(day), theirs.days.get(day), capacity.minutesPerDay) ||
    exceeds(mine.weeks.get(getWeek(day)), theirs.weeks.get(getWeek(day)), capacity.minutesPerWeek)
  );
}

/** The first later start at which work is in open and free time, and its day and week have room. */
function findTime(
  { start, end }: Work,
  {
    rest,
    taken,
    theirs,
  }: { readonly rest: readonly Work[]; readonly taken: readonly Interval[]; readonly theirs: Sums },
  { calendar, capacity }: Portfolios,
  window: Interval,
): Instant | undefined {
  const minutes = end - start;
  const busy = joinIntervals([...taken, ...rest]);
  const mine = sumMinutes(rest, calendar);
  const first = calendar.getDay(start);
  for (let day = first; day <= first + MAX_DAYS; day++) {
    const week = getWeek(day);
    const hasRoom =
      (mine.days.get(day) ?? 0) + (theirs.days.get(day) ?? 0) + minutes <= capacity.minutesPerDay &&
      (mine.weeks.get(week) ?? 0) + (theirs.weeks.get(week) ?? 0) + minutes <= capacity.minutesPerWeek;
    if (!hasRoom) continue;
    for (const open of calendar.openIntervals(day)) {
      const from = Math.max(open.start, start + 1);
      const last = Math.min(open.end, window.end) - minutes;
      for (let at = Math.ceil(from / SLOT_MINUTES) * SLOT_MINUTES; at <= last; at += SLOT_MINUTES)
        if (!busy.some((other) => overlaps(other, { start: at, end: at + minutes }))) return at;
    }
  }
  return undefined;
}
