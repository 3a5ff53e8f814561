import { assertNever } from '@phaseline/basics';
import type { Dependency } from '../../artifacts/roadmap.js';
import type { OutlineTree } from '../outline-tree.js';
import type { Finding } from '../violation.js';
import type { ScheduleSubject } from './schedule-check.js';

const MS_PER_UNIT = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
/** Shortest difference between days in a zone with daylight saving: a day is an hour shorter at most. */
const DAYLIGHT_SAVING_MS = 3_600_000;

/** From the first start to the last end, in milliseconds. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Checks dependencies and the order of phases, as far as they can be checked without a calendar. Recurring tasks are left out. */
export function checkOrder(subject: ScheduleSubject): readonly Finding[] {
  const spans = new Spans(subject);
  return [...checkPhases(subject, spans), ...checkDependencies(subject, spans)];
}

function checkPhases({ roadmap: { phases } }: ScheduleSubject, spans: Spans): readonly Finding[] {
  return phases.flatMap(({ node, mayOverlap }, index): Finding[] => {
    const before = phases[index - 1];
    if (mayOverlap || before === undefined) return [];
    const [span, earlier] = [spans.find(node), spans.find(before.node)];
    if (span === undefined || earlier === undefined || span.start >= earlier.end) return [];
    return [
      {
        ...{ code: 'phases_overlap', node, field: 'tasks' },
        message: `The phase ${node} begins before ${before.node} has ended.`,
        instruction: `Place the tasks of ${node} after those of ${before.node}: generate the schedule again.`,
      },
    ];
  });
}

function checkDependencies({ roadmap: { dependencies } }: ScheduleSubject, spans: Spans): readonly Finding[] {
  return dependencies.flatMap((dependency, index): Finding[] => {
    const { from, to, kind } = dependency;
    const [before, after] = [spans.find(from), spans.find(to)];
    const lag = computeMinLagMs(dependency);
    if (!before || !after || lag === undefined || holds(dependency, before, after, lag)) return [];
    return [
      {
        ...{ code: 'dependency_violated', node: to, field: `tasks, dependencies.${index}` },
        message: `${to} does not wait for ${from} as the dependency ${kind} requires.`,
        instruction: `Place ${to} again, so that the dependency ${kind} from ${from} holds.`,
      },
    ];
  });
}

function holds({ kind }: Dependency, before: Span, after: Span, lagMs: number): boolean {
  switch (kind) {
    case 'FS':
      return after.start >= before.end + lagMs;
    case 'SS':
      return after.start >= before.start + lagMs;
    case 'FF':
      return after.end >= before.end + lagMs;
    case 'SF':
      return after.end >= before.start + lagMs;
    default:
      return assertNever(kind);
  }
}

/** The least that a lag means without a calendar; `undefined` for a lead in working time, which can be any elapsed time. */
function computeMinLagMs({ lag: { amount, unit, time } }: Dependency): number | undefined {
  if (time === 'working') return amount < 0 ? undefined : 0;
  const elapsed = amount * MS_PER_UNIT[unit];
  return unit === 'days' && amount !== 0 ? elapsed - DAYLIGHT_SAVING_MS : elapsed;
}

/** When nodes begin and end, from the placements of the tasks below them. */
class Spans {
  readonly #tree: OutlineTree;
  readonly #placed = new Map<string, Span | undefined>();

  constructor({ schedule, tree }: ScheduleSubject) {
    this.#tree = tree;
    for (const { task, start, end } of schedule.tasks) {
      if (this.#placed.has(task)) continue;
      const span = { start: Date.parse(start), end: Date.parse(end) };
      const node = tree.find(task);
      const isUsable = span.start < span.end && node !== undefined && tree.findRecurrence(node) === undefined;
      this.#placed.set(task, isUsable ? span : undefined);
    }
  }

  /** Span of a node; `undefined` if a task below it is not placed, recurs, or ends before it starts. */
  find(id: string): Span | undefined {
    const children = this.#tree.listChildren(id);
    if (children.length === 0) return this.#placed.get(id);
    const spans = children.map((child) => this.find(child.id));
    const known = spans.filter((span) => span !== undefined);
    if (known.length < spans.length) return undefined;
    return { start: Math.min(...known.map(({ start }) => start)), end: Math.max(...known.map(({ end }) => end)) };
  }
}
