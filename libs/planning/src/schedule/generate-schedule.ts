import { buildSchedule } from './build-schedule.js';
import { decideProblem } from './decide-problem.js';
import { distributeWork } from './distribute-work.js';
import { flattenProblem } from './flat-problem.js';
import { findRelaxations } from './find-relaxations.js';
import { reduceConflict } from './reduce-conflict.js';
import type { ScheduleAnswer } from './schedule.js';
import type { ScheduleProblem } from './schedule-problem.js';

/** Placements that one search may try. With 500 tasks, a search of this size takes about a second. */
export const MAX_PLACEMENTS = 1_000_000;

/**
 * Schedules a plan. The same problem always has the same answer, byte for byte.
 *
 * One thing at a time: movable tasks are done one after another, a task after those it is linked to, whatever lead a link allows. A task is worked
 * on in one or more sessions of whole slots (SLOT_MINUTES), which closed or taken time, appointments and capacity divide; a task that has to
 * finish late is paused. A task without a fixed start is placed anywhere in its dates. Its length is rounded up to whole slots.
 *
 * `infeasible` is only said with a proof, which checkProof accepts. `undecided` is said if `maxPlacements` is reached first; never with up to eight
 * movable tasks. Throws a RecurrenceError or RangeError for a problem that is not well formed (see flattenProblem).
 */
export function generateSchedule(problem: ScheduleProblem, maxPlacements = MAX_PLACEMENTS): ScheduleAnswer {
  const createBudget = () => ({ left: maxPlacements });
  const flat = flattenProblem(problem);
  const decision = decideProblem(flat, createBudget());
  switch (decision.kind) {
    case 'undecided':
      return { kind: 'undecided', triedPlacements: maxPlacements };
    case 'feasible': {
      const { instance, found } = decision;
      const layout = distributeWork(instance, found.order, found.placements, problem.profile);
      return { kind: 'feasible', schedule: buildSchedule(flat, layout) };
    }
    case 'infeasible': {
      const { proof, isMinimal } = reduceConflict(flat, decision.proof, createBudget());
      const relaxations = findRelaxations(problem, proof, createBudget);
      return { kind: 'infeasible', proof, notMinimal: !isMinimal, relaxations };
    }
  }
}
