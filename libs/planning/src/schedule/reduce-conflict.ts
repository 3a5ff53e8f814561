import { decideProblem } from './decide-problem.js';
import { type FlatProblem, restrictProblem } from './flat-problem.js';
import type { Proof } from './schedule.js';
import { MAX_EXHAUSTIVE_TASKS, type SearchBudget } from './search-orders.js';

/** What the arguments that need no search cost per task, in placements. It keeps the reduction of a conflict of 300 tasks to about a second. */
const COST_PER_TASK = 50;

/**
 * Removes tasks from a conflict as long as the rest is a conflict too. A task that was needed in a larger conflict is needed in each smaller one, so that
 * each is tried once. `isMinimal`: every task that is left was found to be needed, within the budget.
 */
export function reduceConflict(
  problem: FlatProblem,
  proof: Proof,
  budget: SearchBudget,
): { readonly proof: Proof; readonly isMinimal: boolean } {
  const needed = new Set<string>();
  let current = proof;
  let isMinimal = true;
  for (let next = pickNext(current, needed); next !== undefined; next = pickNext(current, needed)) {
    const removed = next;
    const rest = new Set(current.conflict.filter((id) => id !== removed));
    const isAllowed = budget.left > 0 || rest.size <= MAX_EXHAUSTIVE_TASKS;
    budget.left -= rest.size * COST_PER_TASK;
    const decision = isAllowed ? decideProblem(restrictProblem(problem, rest), budget) : undefined;
    if (decision?.kind === 'infeasible') current = decision.proof;
    else {
      needed.add(removed);
      if (decision?.kind !== 'feasible') isMinimal = false;
    }
  }
  return { proof: current, isMinimal };
}

function pickNext({ conflict }: Proof, tried: ReadonlySet<string>): string | undefined {
  return conflict.find((id) => !tried.has(id));
}
