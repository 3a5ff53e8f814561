import { addLag } from '../calendar/add-lag.js';
import type { Interval } from '../calendar/instant.js';
import { checkCapacity } from './check-capacity.js';
import { type FlatProblem, type FlatTask, flattenProblem } from './flat-problem.js';
import type { PlacedSchedule, PlacedTask } from './schedule.js';
import { type ScheduleProblem, SLOT_MINUTES } from './schedule-problem.js';
import type { ScheduleViolation } from './schedule-violation.js';

type Pair = readonly [planned: FlatTask, done: PlacedTask];

/** Lists everything in which a schedule differs from what its problem asks for. It shares no code with the search that makes schedules. */
export function checkSchedule(problem: ScheduleProblem, schedule: PlacedSchedule): readonly ScheduleViolation[] {
  const flat = flattenProblem(problem);
  const planned = new Map(flat.tasks.map((task) => [task.id, task]));
  const pairs = schedule.tasks.flatMap((done): Pair[] => (planned.has(done.id) ? [[planned.get(done.id)!, done]] : []));
  return [
    ...(schedule.zone === flat.calendar.zone ? [] : [{ rule: 'zone', tasks: [] } as const]),
    ...checkPresence(flat, schedule),
    ...pairs.flatMap((pair) => checkTask(flat, pair)),
    ...checkSequence(pairs),
    ...checkLinks(flat, pairs),
    ...checkCapacity(flat, pairs),
  ];
}

function checkPresence(flat: FlatProblem, { tasks, skipped }: PlacedSchedule): readonly ScheduleViolation[] {
  const counts = Map.groupBy(tasks, ({ id }) => id);
  const known = new Map(flat.tasks.map((task) => [task.id, task]));
  const isSkippedWrong = [...skipped].sort().join() !== [...flat.skipped].sort().join();
  return [
    ...flat.tasks
      .filter(({ id }) => !counts.has(id))
      .map(({ id, series }) => ({ rule: series === undefined ? 'task_missing' : 'recurrence', tasks: [id] }) as const),
    ...[...counts].flatMap(([id, { length }]) => (length > 1 ? [{ rule: 'task_doubled', tasks: [id] } as const] : [])),
    ...[...counts.keys()].flatMap((id) => (known.has(id) ? [] : [{ rule: 'task_unknown', tasks: [id] } as const])),
    ...tasks.flatMap(({ id, series }) =>
      known.has(id) && known.get(id)!.series !== series ? [{ rule: 'recurrence', tasks: [id] } as const] : [],
    ),
    ...(isSkippedWrong ? [{ rule: 'recurrence', tasks: [] } as const] : []),
  ];
}

/** Checks a task alone: its sessions, their times and its dates. */
function checkTask({ calendar, window, taken }: FlatProblem, [planned, done]: Pair): readonly ScheduleViolation[] {
  const { start, end, sessions } = done;
  const length = sessions.reduce((sum, session) => sum + session.end - session.start, 0);
  const isFixed = planned.fixedStart !== undefined;
  const needed = isFixed ? planned.minutes : Math.ceil(planned.minutes / SLOT_MINUTES) * SLOT_MINUTES;
  const isSorted = sessions.every(
    (session, index) => session.start < session.end && (index === 0 || sessions[index - 1]!.end < session.start),
  );
  const isFramed = sessions.length === 0 ? start === end : start === sessions[0]!.start && end === sessions.at(-1)!.end;
  const isOnGrid =
    isFixed || sessions.every((session) => session.start % SLOT_MINUTES === 0 && session.end % SLOT_MINUTES === 0);
  const isOpen = sessions.every(
    (session) => calendar.workingMinutesBetween(session.start, session.end) === session.end - session.start,
  );
  const broken: readonly (readonly [ScheduleViolation['rule'], boolean])[] = [
    ['sessions', !isSorted || !isFramed || !isOnGrid],
    ['length', length !== needed],
    ['window', start < window.start || end > window.end],
    ['closed_time', !isOpen],
    ['taken_time', sessions.some((session) => taken.some((other) => overlaps(session, other)))],
    [
      'date',
      start < (planned.earliestStart ?? start) ||
        start > (planned.latestStart ?? start) ||
        end > (planned.latestEnd ?? end),
    ],
    [
      'fixed_date',
      isFixed && (start !== planned.fixedStart || end !== planned.fixedStart + planned.minutes || sessions.length > 1),
    ],
  ];
  return broken.flatMap(([rule, isBroken]) => (isBroken ? [{ rule, tasks: [done.id] }] : []));
}

/** Checks that nothing overlaps, and that no movable task begins before another that has begun has ended. */
function checkSequence(pairs: readonly Pair[]): readonly ScheduleViolation[] {
  const sessions = pairs
    .flatMap(([, { id, sessions: own }]) => own.map((session) => ({ id, ...session })))
    .sort((a, b) => a.start - b.start);
  const overlapping = sessions.flatMap((session, index) => {
    const before = sessions[index - 1];
    return before && overlaps(before, session) ? [{ rule: 'overlap', tasks: [before.id, session.id] } as const] : [];
  });
  const movable = pairs
    .filter(([planned]) => planned.fixedStart === undefined && planned.minutes > 0)
    .map(([, done]) => done)
    .sort((a, b) => a.start - b.start);
  const mixed = movable.flatMap((done, index) => {
    const before = movable[index - 1];
    return before && before.end > done.start ? [{ rule: 'one_at_a_time', tasks: [before.id, done.id] } as const] : [];
  });
  return [...overlapping, ...mixed];
}

function checkLinks({ calendar, links }: FlatProblem, pairs: readonly Pair[]): readonly ScheduleViolation[] {
  const byId = new Map(pairs.map((pair) => [pair[0].id, pair]));
  return links.flatMap(({ from, to, kind, lag, unit }) => {
    const [before, after] = [byId.get(from), byId.get(to)];
    if (!before || !after) return [];
    const bound = addLag(calendar, kind[0] === 'S' ? before[1].start : before[1].end, lag, unit);
    const isKept = bound <= (kind[1] === 'S' ? after[1].start : after[1].end);
    const isOrdered =
      before[0].fixedStart !== undefined || after[0].fixedStart !== undefined || before[1].end <= after[1].start;
    return isKept && isOrdered ? [] : [{ rule: 'dependency', tasks: [from, to] } as const];
  });
}

function overlaps(a: Interval, b: Interval): boolean {
  return a.start < b.end && b.start < a.end;
}
