import type { Instant } from '../calendar/instant.js';
import { computeLatest } from './backward-pass.js';
import { type Contradiction, findContradictions, traceChain } from './find-contradictions.js';
import { findCycle } from './find-cycle.js';
import { findRedundantLinks } from './find-redundant-links.js';
import { computeEarliest } from './forward-pass.js';
import type { Link, Network } from './network.js';

/** What both passes say about a task. Capacity is left out. */
interface TaskAnalysis {
  readonly id: string;
  readonly earliestStart: Instant;
  readonly earliestEnd: Instant;
  readonly latestStart: Instant;
  readonly latestEnd: Instant;
  /** Open minutes by which the task can be later without moving the end of the plan or a date; negative if a date cannot be met. */
  readonly floatMinutes: number;
  /** The task is on the critical path, or has no float. */
  readonly isCritical: boolean;
}

export type NetworkAnalysis =
  | { readonly kind: 'cyclic'; readonly cycle: readonly string[] }
  | (TimeAnalysis & {
      readonly kind: 'analyzed';
      readonly contradictions: readonly Contradiction[];
      readonly redundantLinks: readonly Link[];
    });

/**
 * Runs all passes over a network. The critical path is the longest path through dates, work and links on the working calendar; on it a task can still
 * have float, where a lag ends in closed time. Throws a RangeError if an id is used twice or a link names no task.
 */
export function analyzeNetwork(network: Network): NetworkAnalysis {
  const ids = network.tasks.map(({ id }) => id);
  checkIds(ids, network.links);
  const cycle = findCycle(ids, network.links);
  if (cycle) return { kind: 'cyclic', cycle };
  const contradictions = findContradictions(network, computeEarliest(network));
  return { kind: 'analyzed', ...analyzeTimes(network), contradictions, redundantLinks: findRedundantLinks(network) };
}

/** What both passes say about the tasks of a network without cycles. */
export interface TimeAnalysis {
  readonly end: Instant;
  /** In the order of the network's tasks. */
  readonly tasks: readonly TaskAnalysis[];
  /** The longest path: its tasks, and the links between them. */
  readonly criticalPath: { readonly tasks: readonly string[]; readonly links: readonly Link[] };
}

/**
 * Runs both passes over a network without cycles, which takes time in proportion to its size. `beside`: tasks that do not count as the end of the plan,
 * unless there are no others.
 */
export function analyzeTimes(network: Network, beside: ReadonlySet<string> = new Set()): TimeAnalysis {
  const ids = network.tasks.map(({ id }) => id);
  const ending = ids.filter((id) => !beside.has(id));
  const earliest = computeEarliest(network);
  const last = findLast(ending.length > 0 ? ending : ids, (id) => earliest.get(id)!.end);
  const end = last === undefined ? network.start : earliest.get(last)!.end;
  const criticalPath = last === undefined ? { tasks: [], links: [] } : traceChain(earliest, last, 'end');
  const latest = computeLatest(network, end);
  const tasks = ids.map((id) => {
    const [early, late] = [earliest.get(id)!, latest.get(id)!];
    const measure = (from: Instant, to: Instant) => network.calendar.workingMinutesBetween(from, to);
    const floatMinutes = Math.min(measure(early.start, late.start), measure(early.end, late.end));
    return {
      id,
      earliestStart: early.start,
      earliestEnd: early.end,
      latestStart: late.start,
      latestEnd: late.end,
      floatMinutes,
      isCritical: floatMinutes <= 0 || criticalPath.tasks.includes(id),
    };
  });
  return { end, tasks, criticalPath };
}

/** Throws a RangeError if an id is used twice or a link names no task. */
export function checkIds(ids: readonly string[], links: readonly Link[]): void {
  const known = new Set(ids);
  if (known.size < ids.length) throw new RangeError('Two tasks have the same id.');
  const missing = links.flatMap(({ from, to }) => [from, to]).find((id) => !known.has(id));
  if (missing !== undefined) throw new RangeError(`A link names the task "${missing}", which does not exist.`);
}

function findLast(ids: readonly string[], getEnd: (id: string) => Instant): string | undefined {
  return ids.reduce<string | undefined>(
    (last, id) => (last === undefined || getEnd(id) > getEnd(last) ? id : last),
    undefined,
  );
}
