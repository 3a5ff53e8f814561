import type { ChangeReading } from '../reading/read-changes.js';
import type { GoalReading } from '../reading/read-goal.js';
import type { PlanNode } from '../session.js';
import type { PlanFrame } from './plan-frame.js';

/** What an outline is drawn from. */
export interface Draft {
  readonly goal: GoalReading;
  readonly frame: PlanFrame;
  readonly changes: ChangeReading;
}

/** What remains of a node of one kind when its place is known. */
type NodeFields = Pick<PlanNode, 'title'> &
  Partial<Pick<PlanNode, 'estimateMinutes' | 'endCriterion' | 'recurrence' | 'measure'>>;

export function buildNode(
  id: string,
  parent: string | null,
  kind: readonly [PlanNode['level'], PlanNode['time']],
  fields: NodeFields,
): PlanNode {
  const [level, time] = kind;
  return { id, parent, level, time, ...fields };
}

/** Share of the free time that a draft fills, so that the schedule has room for its order. */
const FILLED_SHARE = 0.8;
/** A rough estimate that is too long by this factor at most is made to fit. */
const ROUGH_FACTOR = 2;

/** Returns the work of a plan in minutes: what was estimated, made to fit if it nearly does. What does not fit at all stays, so that the schedule shows it. */
export function fitWork(estimated: number, free: number): number {
  if (estimated <= FILLED_SHARE * free || estimated > ROUGH_FACTOR * free) return estimated;
  return FILLED_SHARE * free;
}

/** Returns work without a stated size: a weekly amount over the duration, at most the share that is filled. */
export function assumeWork(days: number, free: number, minutesPerWeek: number, factor: number): number {
  const wanted = Math.max(60, (days / 7) * minutesPerWeek) * factor;
  return Math.min(wanted, FILLED_SHARE * free);
}

export function capitalise(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

/** Returns how many parts a plan of this length in days has: one more than the limits that it exceeds. */
export function countParts(days: number, limits: readonly number[], min: number, max: number, more: number): number {
  const parts = min + limits.filter((limit) => days > limit).length + more;
  return Math.min(max, Math.max(min, parts));
}

/** Splits whole numbers from `from` (excluded) to `to` into parts of about equal size; empty parts are left out. */
export function splitRange(
  from: number,
  to: number,
  parts: number,
): readonly (readonly [first: number, last: number])[] {
  const bounds = Array.from({ length: parts + 1 }, (_, index) => Math.round(from + ((to - from) * index) / parts));
  return bounds.slice(1).flatMap((last, index): (readonly [number, number])[] => {
    const first = bounds[index]! + 1;
    return first > last ? [] : [[first, last]];
  });
}
