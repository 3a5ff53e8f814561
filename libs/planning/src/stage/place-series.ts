import { expandRecurrence, RecurrenceError } from '../calendar/expand-recurrence.js';
import { formatDay, type Instant } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { sortByLinks } from '../network/find-cycle.js';
import { computeBound, computeEarliest } from '../network/forward-pass.js';
import { groupLinks, type Link, reachesStart } from '../network/network.js';
import { decideProblem } from '../schedule/decide-problem.js';
import { type FlatProblem, flattenProblem } from '../schedule/flat-problem.js';
import { getFixedTimes, type Times, toNetwork } from '../schedule/instance.js';
import { type ScheduleProblem, SLOT_MINUTES, type TaskSeries } from '../schedule/schedule-problem.js';
import { DayLoad } from './day-load.js';
import { findFirstStart, type UnplacedSeries } from './find-first-start.js';

/** Placements that are tried to find when the tasks before a recurring one can be done. */
const MAX_TRIED_PLACEMENTS = 20_000;
/** Starts that are tried for a recurring task that takes time from what it waits for: two hours of quarter hours. */
const MAX_DELAYS = 8;

/**
 * Gives recurring tasks their first start, one after another. What a recurring task waits for is scheduled first, as early as possible, because the
 * engine does not move occurrences.
 */
export function placeSeries(
  problem: ScheduleProblem,
  unplaced: readonly UnplacedSeries[],
  roundLinks: readonly Link[],
): readonly TaskSeries[] {
  return new SeriesPlacement(problem, unplaced, roundLinks).run();
}

class SeriesPlacement {
  readonly #load: DayLoad;
  readonly #incoming: ReadonlyMap<string, readonly Link[]>;
  readonly #placed = new Map<string, TaskSeries>();
  /** First occurrences of what is placed. */
  readonly #firstTimes = new Map<string, Times>();
  readonly #timesOf = new Map<string, ReadonlyMap<string, Times>>();

  constructor(
    private readonly problem: ScheduleProblem,
    private readonly unplaced: readonly UnplacedSeries[],
    private readonly roundLinks: readonly Link[],
  ) {
    this.#load = new DayLoad(new WorkingCalendar(problem.calendar), problem.capacity, problem.window);
    this.#incoming = groupLinks(problem.links, 'to');
    for (const interval of problem.taken) this.#load.add(interval);
    for (const { fixedStart, minutes } of problem.tasks)
      if (fixedStart !== undefined && minutes > 0) this.#load.add({ start: fixedStart, end: fixedStart + minutes });
  }

  run(): readonly TaskSeries[] {
    const byId = new Map(this.unplaced.map((series) => [series.id, series]));
    const ids = [...this.problem.tasks.map(({ id }) => id), ...byId.keys()];
    const sorted = sortByLinks(ids, [...this.problem.links, ...this.roundLinks]);
    // Tasks in a cycle are last; that cycle is the conflict of the plan.
    const order = [...new Set([...sorted, ...ids])].flatMap((id) => byId.get(id) ?? []);
    for (const series of order) this.#place(series);
    return this.unplaced.map(({ id }) => this.#placed.get(id)!);
  }

  #place(series: UnplacedSeries): void {
    const { id, minutes, rule, exceptDays } = series;
    const bound = this.#findStart(series, this.#findBounds(series));
    // If the rule ends before what it waits for, both are in the problem, so that the contradiction is reported.
    const isTooLate = this.#expand(rule, bound).length === 0;
    const unbound = { start: this.problem.window.start, end: -Infinity };
    const firstStart = isTooLate ? findFirstStart(series, this.#load, unbound) : bound;
    const starts = this.#expand(rule, firstStart);
    const days = starts.map((start) => formatDay(this.#load.calendar.getDay(start)));
    const except = days.flatMap((day, index) => (exceptDays.includes(day) ? [index + 1] : []));
    this.#placed.set(id, { id, minutes, recurrence: { rule, firstStart }, ...(except.length > 0 && { except }) });
    if (starts[0] !== undefined) this.#firstTimes.set(id, { start: starts[0], end: starts[0] + minutes });
    for (const [index, start] of starts.entries()) {
      const isOpen = this.#load.calendar.openIntervals(this.#load.calendar.getDay(start)).length > 0;
      if (isOpen && !except.includes(index + 1)) this.#load.add({ start, end: start + minutes });
    }
  }

  /**
   * The first start within bounds. A recurring task that may begin before what it waits for has ended takes time from that, so that it may have to begin
   * later than when that was scheduled alone.
   */
  #findStart(series: UnplacedSeries, bounds: Times): string {
    const links = this.#incoming.get(series.id) ?? [];
    const isBehind = links.every(({ kind, lag }) => kind === 'FS' && lag >= 0);
    const first = findFirstStart(series, this.#load, bounds);
    if (isBehind || series.fixedDay !== undefined) return first;
    for (let delay = 0; delay < MAX_DELAYS; delay++) {
      const start = findFirstStart(series, this.#load, { ...bounds, start: bounds.start + delay * SLOT_MINUTES });
      if (this.#isPossible(series, start)) return start;
    }
    return first;
  }

  /** Whether everything that a recurring task waits for can be done in time if it begins at a start. */
  #isPossible({ id, minutes, rule }: UnplacedSeries, firstStart: string): boolean {
    if (this.#expand(rule, firstStart).length === 0) return false;
    const before = this.#listBefore(id);
    const flat = this.#restrict(before, [{ id, minutes, recurrence: { rule, firstStart } }]);
    return decideProblem(flat, { left: MAX_TRIED_PLACEMENTS }).kind === 'feasible';
  }

  /** The occurrences; none of a rule that cannot be expanded, which is reported when the problem is scheduled. */
  #expand(rule: string, firstStart: string): readonly Instant[] {
    try {
      return expandRecurrence({ rule, firstStart }, this.#load.calendar.zone);
    } catch (error) {
      if (error instanceof RecurrenceError) return [];
      throw error;
    }
  }

  /** What the links to a recurring task allow for its first start and its last end. */
  #findBounds({ id, minutes }: UnplacedSeries): Times {
    const bounds = { start: this.problem.window.start, end: -Infinity };
    const links = this.#incoming.get(id) ?? [];
    const times = links.length === 0 ? undefined : this.#scheduleBefore(id);
    const rounds = this.roundLinks.filter(({ to }) => to === id);
    for (const link of [...links, ...rounds]) {
      const from = rounds.includes(link) ? this.#firstTimes.get(link.from) : times?.get(link.from);
      if (!from) continue;
      // A finish is bound in the same round, so that the start is.
      if (rounds.includes(link) && !reachesStart(link)) {
        const bound = computeBound({ calendar: this.#load.calendar }, link, from, 0);
        bounds.start = Math.max(bounds.start, bound - minutes);
        continue;
      }
      const bound = computeBound({ calendar: this.#load.calendar }, link, from, minutes);
      if (reachesStart(link)) bounds.start = Math.max(bounds.start, bound);
      else bounds.end = Math.max(bounds.end, bound);
    }
    return bounds;
  }

  /** The earliest times of everything that a recurring task waits for. */
  #scheduleBefore(id: string): ReadonlyMap<string, Times> {
    const before = this.#listBefore(id);
    const key = [...before].sort().join();
    const times = this.#timesOf.get(key) ?? computeTimes(this.#restrict(before, []));
    this.#timesOf.set(key, times);
    return times;
  }

  #listBefore(id: string): ReadonlySet<string> {
    const before = new Set([id]);
    for (const next of before) for (const { from } of this.#incoming.get(next) ?? []) before.add(from);
    before.delete(id);
    return before;
  }

  /** The problem of some tasks and of all series that are placed. */
  #restrict(before: ReadonlySet<string>, added: readonly TaskSeries[]): FlatProblem {
    const { tasks, links } = this.problem;
    const series = [...this.#placed.values(), ...added];
    const ids = new Set([...before, ...series.map(({ id }) => id)]);
    return flattenProblem({
      ...this.problem,
      tasks: tasks.filter((task) => before.has(task.id)),
      series,
      links: links.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    });
  }
}

function computeTimes(flat: FlatProblem): ReadonlyMap<string, Times> {
  const decision = decideProblem(flat, { left: MAX_TRIED_PLACEMENTS });
  const times = new Map<string, Times>();
  if (decision.kind === 'feasible') {
    for (const [id, time] of [...getFixedTimes(decision.instance), ...decision.found.placements]) times.set(id, time);
  } else {
    // The plan has no schedule, or none was found. Capacity is left out, so that a conflict is not made larger here.
    for (const [id, time] of computeEarliest(toNetwork(flat))) times.set(id, time);
  }
  for (const { series, id } of flat.tasks) {
    if (series === undefined) continue;
    const [own, known] = [times.get(id), times.get(series)];
    if (!own) continue;
    times.set(series, {
      start: Math.min(own.start, known?.start ?? Infinity),
      end: Math.max(own.end, known?.end ?? -Infinity),
    });
  }
  return times;
}
