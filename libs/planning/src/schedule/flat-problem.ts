import { expandRecurrence } from '../calendar/expand-recurrence.js';
import type { Interval } from '../calendar/instant.js';
import { joinIntervals } from '../calendar/join-intervals.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { checkIds } from '../network/analyze-network.js';
import { leavesStart, type Link, reachesStart } from '../network/network.js';
import type { Capacity, ScheduleProblem, ScheduleTask, TaskSeries } from './schedule-problem.js';

/** A task of the flat problem; an occurrence names its series. */
export interface FlatTask extends ScheduleTask {
  readonly series?: string;
}

/** A problem without series: what they mean is defined here, for the generator and for the checkers. */
export interface FlatProblem {
  readonly calendar: WorkingCalendar;
  readonly window: Interval;
  readonly tasks: readonly FlatTask[];
  readonly links: readonly Link[];
  readonly capacity: Capacity;
  /** Sorted, without overlaps. */
  readonly taken: readonly Interval[];
  readonly bufferShare: number;
  /** Ids of the occurrences that lie on dates without open time, or are left out. */
  readonly skipped: readonly string[];
}

/**
 * Replaces series by their occurrences and their links by links of the first or last one. Links of a series without any occurrence left are dropped.
 * Throws a RecurrenceError for a rule that cannot be expanded, and a RangeError for ids, dates or a zone that do not exist.
 */
export function flattenProblem(problem: ScheduleProblem): FlatProblem {
  const { window, capacity, taken, profile } = problem;
  checkIds(
    [...problem.tasks, ...problem.series].map(({ id }) => id),
    problem.links,
  );
  const calendar = new WorkingCalendar(problem.calendar);
  const occurrences = new Map(problem.series.map((series) => [series.id, expandSeries(series, calendar)]));
  const kept = new Map([...occurrences].map(([id, found]) => [id, found.filter(({ isSkipped }) => !isSkipped)]));
  const tasks = [...problem.tasks, ...[...kept.values()].flat().map(({ task }) => task)];
  checkIds(
    tasks.map(({ id }) => id),
    [],
  );
  const resolve = (id: string, end: 'start' | 'end') => {
    const found = kept.get(id);
    return found ? found.at(end === 'start' ? 0 : -1)?.task.id : id;
  };
  const links = problem.links.flatMap((link) => {
    const from = resolve(link.from, leavesStart(link) ? 'start' : 'end');
    const to = resolve(link.to, reachesStart(link) ? 'start' : 'end');
    return from !== undefined && to !== undefined ? [{ ...link, from, to }] : [];
  });
  const skipped = [...occurrences.values()].flat().flatMap(({ isSkipped, task }) => (isSkipped ? [task.id] : []));
  return {
    calendar,
    window,
    tasks,
    links,
    capacity,
    taken: joinIntervals(taken),
    bufferShare: profile.bufferShare,
    skipped,
  };
}

/** Leaves only some tasks and the links among them. What is impossible with fewer tasks is impossible with all. */
export function restrictProblem(problem: FlatProblem, ids: ReadonlySet<string>): FlatProblem {
  return {
    ...problem,
    tasks: problem.tasks.filter(({ id }) => ids.has(id)),
    links: problem.links.filter(({ from, to }) => ids.has(from) && ids.has(to)),
  };
}

/** Tells whether a task has no fixed start. */
export function isMovable({ fixedStart }: FlatTask): boolean {
  return fixedStart === undefined;
}

/** The time of the appointments. */
export function listFixedTime({ tasks }: FlatProblem): readonly Interval[] {
  return tasks.flatMap(({ fixedStart, minutes }) =>
    fixedStart === undefined || minutes === 0 ? [] : [{ start: fixedStart, end: fixedStart + minutes }],
  );
}

function expandSeries({ id, minutes, recurrence, except = [] }: TaskSeries, calendar: WorkingCalendar) {
  return expandRecurrence(recurrence, calendar.zone).map((fixedStart, index) => ({
    task: { id: `${id}#${index + 1}`, minutes, fixedStart, series: id },
    isSkipped: except.includes(index + 1) || calendar.openIntervals(calendar.getDay(fixedStart)).length === 0,
  }));
}
