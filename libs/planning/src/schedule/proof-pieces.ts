import { getWeek, type Instant, type Interval } from '../calendar/instant.js';
import { splitByDay } from '../calendar/split-by-day.js';
import type { FlatProblem, FlatTask } from './flat-problem.js';
import { SLOT_MINUTES } from './schedule-problem.js';

/** A quarter hour that movable work can fill, with the number of them that the capacity of its day and week leaves. */
export interface Piece extends Interval {
  readonly day: number;
  readonly week: number;
  readonly dayLimit: number;
  readonly weekLimit: number;
}

/** Lists the quarter hours of a problem that are open and free; for proofs. */
export function listPieces(problem: FlatProblem): readonly Piece[] {
  const { calendar, window, taken, tasks, capacity, bufferShare } = problem;
  const fixed = tasks.flatMap(({ fixedStart, minutes }) =>
    fixedStart === undefined || minutes === 0 ? [] : [{ start: fixedStart, end: fixedStart + minutes }],
  );
  const busy = [...taken, ...fixed];
  const shares = busy.flatMap((interval) => splitByDay(calendar, interval));
  const sum = (isCounted: (day: number) => boolean) =>
    shares.reduce((total, { day, minutes }) => total + (isCounted(day) ? minutes : 0), 0);
  const limit = (full: number, used: number) =>
    Math.max(0, Math.floor((Math.round(full * (1 - bufferShare)) - used) / SLOT_MINUTES));
  const pieces: Piece[] = [];
  for (let day = calendar.getDay(window.start); day <= calendar.getDay(window.end); day++) {
    const week = getWeek(day);
    const dayLimit = limit(
      capacity.minutesPerDay,
      sum((other) => other === day),
    );
    const weekLimit = limit(
      capacity.minutesPerWeek,
      sum((other) => getWeek(other) === week),
    );
    for (const open of calendar.openIntervals(day)) {
      for (const start of listGrid(open)) {
        const end = start + SLOT_MINUTES;
        const isFree = busy.every((interval) => interval.end <= start || end <= interval.start);
        if (isFree && start >= window.start && end <= window.end)
          pieces.push({ start, end, day, week, dayLimit, weekLimit });
      }
    }
  }
  return pieces;
}

/** Quarter hours that the work of tasks fills. */
export function measurePieces(tasks: readonly FlatTask[]): number {
  return tasks.reduce((sum, { minutes }) => sum + Math.ceil(minutes / SLOT_MINUTES), 0);
}

function listGrid({ start, end }: Interval): readonly Instant[] {
  const first = Math.ceil(start / SLOT_MINUTES) * SLOT_MINUTES;
  const count = Math.max(0, Math.floor((end - first) / SLOT_MINUTES));
  return Array.from({ length: count }, (_, index) => first + index * SLOT_MINUTES);
}
