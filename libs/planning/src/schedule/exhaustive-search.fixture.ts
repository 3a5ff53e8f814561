import { addLag } from '../calendar/add-lag.js';
import { getWeek, type Instant, type Interval } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import type { Link } from '../network/network.js';
import { type ScheduleProblem, type ScheduleTask, SLOT_MINUTES } from './schedule-problem.js';

/** Tries every schedule of a problem without series and milestones, quarter hour by quarter hour, and tells whether one keeps all rules. */
export function hasSchedule(problem: ScheduleProblem): boolean {
  return new ExhaustiveSearch(problem).run();
}

interface Current {
  readonly task: ScheduleTask;
  readonly left: number;
}

class ExhaustiveSearch {
  private readonly calendar: WorkingCalendar;
  private readonly fixed: readonly (ScheduleTask & { readonly fixedStart: Instant })[];
  private readonly movable: readonly ScheduleTask[];
  private readonly times = new Map<string, { start: Instant; end: Instant }>();
  private readonly used = new Map<string, number>();
  private readonly quarters: readonly Instant[];

  constructor(private readonly problem: ScheduleProblem) {
    this.calendar = new WorkingCalendar(problem.calendar);
    this.fixed = problem.tasks.flatMap((task) =>
      task.fixedStart === undefined ? [] : [{ ...task, fixedStart: task.fixedStart }],
    );
    this.movable = problem.tasks.filter(({ fixedStart }) => fixedStart === undefined);
    const blocked = [...problem.taken, ...this.fixed.map(toInterval)];
    for (const { start, end } of blocked) for (let at = start; at < end; at++) this.use(at, 1);
    const { window } = problem;
    const all = Array.from(
      { length: (window.end - window.start) / SLOT_MINUTES },
      (_, index) => window.start + index * SLOT_MINUTES,
    );
    this.quarters = all.filter(
      (start) =>
        this.isOpen({ start, end: start + SLOT_MINUTES }) &&
        blocked.every((other) => other.end <= start || start + SLOT_MINUTES <= other.start),
    );
  }

  run(): boolean {
    return this.isFixedPossible() && this.visit(0, this.movable, undefined);
  }

  /** Continues at a quarter hour: leaves it empty, works on the current task, or begins another if none is unfinished. */
  private visit(at: number, rest: readonly ScheduleTask[], current: Current | undefined): boolean {
    if (rest.length === 0 && !current) return true;
    const start = this.quarters[at];
    if (start === undefined) return false;
    const needed = rest.reduce((sum, { minutes }) => sum + Math.ceil(minutes / SLOT_MINUTES), current?.left ?? 0);
    if (needed > this.quarters.length - at) return false;
    if (this.hasRoom(start)) {
      const choices = current
        ? [current]
        : rest
            .filter((task) => this.canStart(task, start))
            .map((task) => ({ task, left: Math.ceil(task.minutes / SLOT_MINUTES) }));
      this.use(start, SLOT_MINUTES);
      for (const { task, left } of choices) {
        const others = current ? rest : rest.filter((other) => other !== task);
        const begun = current ? this.times.get(task.id)!.start : start;
        this.times.set(task.id, { start: begun, end: start + SLOT_MINUTES });
        const next = left > 1 ? { task, left: left - 1 } : undefined;
        if ((next || this.isKept(task)) && this.visit(at + 1, others, next)) return true;
        if (current) this.times.set(task.id, { start: begun, end: Infinity });
        else this.times.delete(task.id);
      }
      this.use(start, -SLOT_MINUTES);
    }
    return this.visit(at + 1, rest, current);
  }

  private canStart(task: ScheduleTask, start: Instant): boolean {
    if (start < (task.earliestStart ?? 0) || start > (task.latestStart ?? Infinity)) return false;
    return this.problem.links.every(({ from, to }) => to !== task.id || this.times.has(from));
  }

  private isKept({ id, latestEnd = Infinity }: ScheduleTask): boolean {
    return (
      this.times.get(id)!.end <= latestEnd &&
      this.problem.links.every((link) => (link.from !== id && link.to !== id) || this.isLinkKept(link))
    );
  }

  /** A link to a task that is not done yet is checked when that is done. */
  private isLinkKept({ from, to, kind, lag, unit }: Link): boolean {
    const [before, after] = [this.times.get(from), this.times.get(to)];
    if (!before || !after) return true;
    const bound = addLag(this.calendar, kind.startsWith('S') ? before.start : before.end, lag, unit);
    return bound <= (kind.endsWith('S') ? after.start : after.end);
  }

  private isFixedPossible(): boolean {
    const { taken, window, capacity } = this.problem;
    for (const task of this.fixed) this.times.set(task.id, toInterval(task));
    return this.fixed.every((task) => {
      const own = toInterval(task);
      const others = [...taken, ...this.fixed.filter((other) => other !== task).map(toInterval)];
      const [day, week] = this.getKeys(own.start);
      return (
        this.isOpen(own) &&
        own.start >= window.start &&
        own.end <= window.end &&
        own.start >= (task.earliestStart ?? 0) &&
        own.start <= (task.latestStart ?? Infinity) &&
        this.isKept(task) &&
        others.every((other) => other.end <= own.start || own.end <= other.start) &&
        this.used.get(day)! <= capacity.minutesPerDay &&
        this.used.get(week)! <= capacity.minutesPerWeek
      );
    });
  }

  private isOpen({ start, end }: Interval): boolean {
    for (let at = start; at < end; at++) if (this.calendar.nextOpen(at) !== at) return false;
    return true;
  }

  private hasRoom(start: Instant): boolean {
    const { capacity, profile } = this.problem;
    const [day, week] = this.getKeys(start);
    const limit = (full: number) => Math.round(full * (1 - profile.bufferShare)) - SLOT_MINUTES;
    return (
      (this.used.get(day) ?? 0) <= limit(capacity.minutesPerDay) &&
      (this.used.get(week) ?? 0) <= limit(capacity.minutesPerWeek)
    );
  }

  private use(at: Instant, minutes: number): void {
    for (const key of this.getKeys(at)) this.used.set(key, (this.used.get(key) ?? 0) + minutes);
  }

  private getKeys(at: Instant): readonly [string, string] {
    const day = this.calendar.getDay(at);
    return [`day ${day}`, `week ${getWeek(day)}`];
  }
}

function toInterval({ fixedStart, minutes }: { readonly fixedStart?: Instant; readonly minutes: number }): Interval {
  return { start: fixedStart!, end: fixedStart! + minutes };
}
