import type { Schedule, ScheduledTask } from '../artifacts/schedule.js';
import { formatInstant } from '../calendar/instant.js';
import { OutlineTree } from '../grammar/outline-tree.js';
import { analyzeTimes, type TimeAnalysis } from '../network/analyze-network.js';
import { type FlatProblem, flattenProblem } from '../schedule/flat-problem.js';
import { toNetwork } from '../schedule/instance.js';
import type { PlacedSchedule, PlacedTask } from '../schedule/schedule.js';
import type { ScheduleProblem } from '../schedule/schedule-problem.js';
import type { PlanArtifacts } from './plan-input.js';
import { parseTaskId } from './task-id.js';

/** A schedule of the engine, and what it was made from. */
export interface ScheduledPlan extends PlanArtifacts {
  readonly roadmapHash: string;
  /** The problem that buildScheduleProblem returned for the artifacts. */
  readonly problem: ScheduleProblem;
  readonly placed: PlacedSchedule;
}

/**
 * Writes a schedule as an artifact: one entry per task of the outline, by start; of a recurring task its first occurrence, with the rule from there.
 * Milestones are not entries. An appointment has no float; it is critical only if it is on the critical path. A recurring task that nothing waits for
 * continues beside the plan: it does not count as its end, unless there is nothing else. A recurring task of which every
 * occurrence is left out has no entry, which the validator reports.
 */
export function toSchedule({ context, outline, roadmapHash, problem, placed }: ScheduledPlan): Schedule {
  const leaves = new Set(new OutlineTree(outline).listTasks().map(({ id }) => id));
  const flat = flattenProblem(problem);
  const analysis = analyzeTimes(toNetwork(flat), findHabits(flat));
  const rate = createRating(problem, analysis);
  const entered = new Set<string>();
  const tasks = placed.tasks.flatMap((task): readonly ScheduledTask[] => {
    const id = task.series ?? task.id;
    if (!leaves.has(id) || entered.has(id)) return [];
    entered.add(id);
    const recurrence = findRecurrenceFrom(problem, task);
    return [
      {
        task: id,
        start: formatInstant(task.start),
        end: formatInstant(task.end),
        zone: context.zone,
        ...(recurrence !== undefined && { recurrence }),
        ...rate(task),
      },
    ];
  });
  return { roadmapHash, tasks };
}

/** Occurrences of recurring tasks that nothing waits for. */
function findHabits({ tasks, links }: FlatProblem): ReadonlySet<string> {
  const seriesOf = new Map(tasks.map(({ id, series }) => [id, series]));
  const awaited = new Set(links.map(({ from }) => seriesOf.get(from)));
  return new Set(tasks.filter(({ series }) => series !== undefined && !awaited.has(series)).map(({ id }) => id));
}

function createRating({ tasks }: ScheduleProblem, { tasks: analyses, criticalPath }: TimeAnalysis) {
  const byId = new Map(analyses.map((analysis) => [analysis.id, analysis]));
  const onPath = new Set(criticalPath.tasks.map((id) => (id.includes('#') ? parseTaskId(id).node : id)));
  const movable = new Set(tasks.filter(({ fixedStart }) => fixedStart === undefined).map(({ id }) => id));
  return ({ id, series }: PlacedTask): Pick<ScheduledTask, 'floatMinutes' | 'critical'> => {
    const { floatMinutes, isCritical } = byId.get(id)!;
    return {
      floatMinutes: Math.max(0, floatMinutes),
      critical: movable.has(id) ? isCritical : onPath.has(series ?? id),
    };
  };
}

/** The rule of a series without the occurrences before a task. */
function findRecurrenceFrom({ series }: ScheduleProblem, task: PlacedTask): string | undefined {
  const rule = series.find(({ id }) => id === task.series)?.recurrence.rule;
  const left = (parseTaskId(task.id).occurrence ?? 1) - 1;
  return rule?.replace(/(^|;)COUNT=(\d+)/, (_, before: string, count) => `${before}COUNT=${Number(count) - left}`);
}
