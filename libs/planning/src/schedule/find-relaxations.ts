import { applyRelaxation } from './apply-relaxation.js';
import { decideProblem } from './decide-problem.js';
import { flattenProblem } from './flat-problem.js';
import type { Proof, Relaxation } from './schedule.js';
import { type Capacity, type ScheduleProblem, SLOT_MINUTES } from './schedule-problem.js';
import type { SearchBudget } from './search-orders.js';

/** Number of relaxations that an answer offers: as many as a person can compare at once. */
const MAX_RELAXATIONS = 3;
/** What is tried, smallest first. A plan that needs more than another year needs another goal. */
const LATER_DAYS = [7, 14, 28, 56, 112, 224, 448];
/** What is tried with every date of the plan, if moving those of the conflict does not help: fewer sizes, because each is a search. */
const ALL_LATER_DAYS = [28, 112, 448];
const CAPACITY_FACTORS = [1.25, 1.5, 2, 3];

/**
 * Finds changes with which the problem has a schedule, each of another kind or for another task. Each is tried; of those that differ only in size,
 * the smallest that works is returned.
 */
export function findRelaxations(
  problem: ScheduleProblem,
  { conflict }: Proof,
  createBudget: () => SearchBudget,
): readonly Relaxation[] {
  const found: Relaxation[] = [];
  for (const sizes of listCandidates(problem, conflict)) {
    if (found.length === MAX_RELAXATIONS) break;
    const smallest = sizes.find(
      (relaxation) =>
        decideProblem(flattenProblem(applyRelaxation(problem, relaxation)), createBudget()).kind === 'feasible',
    );
    if (smallest) found.push(smallest);
  }
  return found;
}

/** Relaxations that concern the conflict, in the order in which people prefer them; each as a list of sizes, smallest first. */
function listCandidates(problem: ScheduleProblem, conflict: readonly string[]): readonly (readonly Relaxation[])[] {
  const tasks = problem.tasks.filter(({ id }) => conflict.includes(id));
  return [
    problem.profile.bufferShare > 0 ? [{ kind: 'no_buffer' } as const] : [],
    listLaterDeadlines(problem, conflict),
    CAPACITY_FACTORS.map(
      (factor) => ({ kind: 'more_capacity', capacity: scaleCapacity(problem.capacity, factor) }) as const,
    ),
    ...tasks.filter(({ optional }) => optional).map(({ id }) => [{ kind: 'drop_task', task: id } as const]),
    ...problem.series.map(({ id }) => listDroppedOccurrences(id, conflict)),
    ...tasks
      .filter(({ fixedStart }) => fixedStart !== undefined)
      .map(({ id }) => [{ kind: 'free_date', task: id } as const]),
  ];
}

function listLaterDeadlines({ tasks }: ScheduleProblem, conflict: readonly string[]): readonly Relaxation[] {
  const dated = tasks.filter(({ id, latestEnd }) => latestEnd !== undefined && !conflict.includes(id));
  const all = [...conflict, ...dated.map(({ id }) => id)];
  return [
    ...LATER_DAYS.map((days) => ({ kind: 'later_deadline', days, tasks: conflict }) as const),
    ...(dated.length > 0 ? ALL_LATER_DAYS : []).map((days) => ({ kind: 'later_deadline', days, tasks: all }) as const),
  ];
}

/** First each occurrence of the conflict alone, then all of them. */
function listDroppedOccurrences(series: string, conflict: readonly string[]): readonly Relaxation[] {
  const prefix = `${series}#`;
  const numbers = conflict.filter((id) => id.startsWith(prefix)).map((id) => Number(id.slice(prefix.length)));
  const choices =
    numbers.length > 1 ? [...numbers.slice(0, MAX_RELAXATIONS).map((number) => [number]), numbers] : [numbers];
  return choices
    .filter((dropped) => dropped.length > 0)
    .map((dropped) => ({ kind: 'fewer_occurrences', series, dropped }) as const);
}

function scaleCapacity({ minutesPerDay, minutesPerWeek }: Capacity, factor: number): Capacity {
  const scale = (minutes: number) => Math.ceil((minutes * factor) / SLOT_MINUTES) * SLOT_MINUTES;
  return { minutesPerDay: scale(minutesPerDay), minutesPerWeek: scale(minutesPerWeek) };
}
