import type { PlanContext } from '../artifacts/plan-context.js';
import type { PlanOutline } from '../artifacts/plan-outline.js';
import type { HeuristicValues } from './compute-confidence.js';

/** Distance to the second-best pattern from which the choice counts as certain: a quarter of the scale. */
const CERTAIN_DISTANCE = 0.25;

/**
 * Measures the heuristics of a stage: share of tasks with estimates, share of facts that the person answered, and how far the second-best
 * pattern is. What does not exist yet is left out.
 */
export function measureHeuristics(stage: {
  readonly outline?: PlanOutline;
  readonly facts?: PlanContext['facts'];
  /** Distance between the scores of the best and the second-best pattern. */
  readonly patternDistance?: number;
}): HeuristicValues {
  const { outline, facts, patternDistance } = stage;
  const parents = new Set(outline?.nodes.map(({ parent }) => parent));
  const leaves = outline?.nodes.filter(({ id }) => !parents.has(id));
  return {
    ...(leaves && { estimatedNodes: shareOf(leaves, ({ estimateMinutes }) => estimateMinutes !== undefined) }),
    ...(facts && { answeredQuestions: shareOf(facts, ({ isAssumed }) => !isAssumed) }),
    ...(patternDistance !== undefined && { patternDistance: Math.min(1, patternDistance / CERTAIN_DISTANCE) }),
  };
}

/** An empty list has nothing that is missing. */
function shareOf<Item>(items: readonly Item[], isCounted: (item: Item) => boolean): number {
  return items.length === 0 ? 1 : items.filter(isCounted).length / items.length;
}
