import type { PlanNode } from '../session.js';
import { assumeWork, buildNode, capitalise, countParts, fitWork, splitRange, type Draft } from './draft.js';
import { countFreeMinutes, countPlanDays, countStatedMinutes, divideWork } from './plan-frame.js';
import { listProjectStages, type Stage } from './stages.js';
import { estimateQuantity } from '../work-rates.js';

/** Days beyond which a project has one more phase. */
const PHASE_LIMITS = [3, 10, 35, 120];
const MAX_PHASES = 12;
/** Work per week in minutes of a project whose size and effort nobody stated. */
const MINUTES_PER_WEEK = 300;
/** Parts of work of a stated size: small enough to see progress. */
const MAX_SIZED_TASKS = 6;
/** Work that a size does not count: preparation and completion, as a share of it. */
const SURROUNDING_SHARE = 0.15;

interface PlannedTask {
  readonly title: string;
  readonly weight: number;
}

/** Builds a project: phases, each with a milestone and its tasks. */
export function buildProject(draft: Draft): readonly PlanNode[] {
  const { frame, changes } = draft;
  const days = countPlanDays(frame);
  const stages = listProjectStages(countParts(days, PHASE_LIMITS, 1, MAX_PHASES, changes.morePhases));
  return buildStages(
    draft,
    stages,
    countFreeMinutes(frame, () => 0),
    countStatedMinutes(frame) ?? MINUTES_PER_WEEK,
  );
}

/** Builds phases from stages. `free` is the time for all of their tasks in minutes, `perWeek` the work that is assumed if no size is stated. */
export function buildStages(
  draft: Draft,
  stages: readonly Stage[],
  free: number,
  perWeek: number,
): readonly PlanNode[] {
  const { goal, frame, changes } = draft;
  const { subject, object } = goal.aim;
  const size = estimateSize(draft);
  const tasks = stages.map((stage) =>
    listTasks(draft, stage, stages.filter(({ isMain }) => isMain === true).indexOf(stage), size !== undefined),
  );
  const work =
    size === undefined
      ? assumeWork(countPlanDays(frame), free, perWeek, changes.workFactor)
      : fitWork(size * (1 + SURROUNDING_SHARE) * changes.workFactor, free);
  const weights = tasks.map((list, index) => weighTasks(list, stages[index]!, stages, size !== undefined));
  const minutes = divideWork(work, weights.flat());
  let next = 0;
  return stages.flatMap((stage, index): PlanNode[] => {
    const id = `p${index + 1}`;
    return [
      buildNode(id, null, ['L1', 'once'], { title: `${stage.name}: ${subject}` }),
      buildNode(`${id}m`, id, ['L2', 'once'], {
        title: capitalise(stage.milestone(object)),
        endCriterion: capitalise(stage.criterion(object)),
      }),
      ...tasks[index]!.map(({ title }, number) =>
        buildNode(`${id}t${number + 1}`, `${id}m`, ['L3', 'once'], { title, estimateMinutes: minutes[next++]! }),
      ),
    ];
  });
}

/** Work that the stated size takes in minutes, or that is stated as a whole, as in "it takes 3 hours". */
function estimateSize({ goal, frame }: Draft): number | undefined {
  if (
    frame.rhythm === undefined &&
    frame.effort.perSession !== undefined &&
    frame.effort.isEach !== true &&
    goal.measure === undefined
  )
    return frame.effort.perSession / (1 + SURROUNDING_SHARE);
  return goal.measure && goal.measure.per === undefined ? estimateQuantity(goal.measure, goal.text) : undefined;
}

function listTasks({ goal }: Draft, stage: Stage, mainIndex: number, isSized: boolean): readonly PlannedTask[] {
  const { aim, measure } = goal;
  const plain = stage.tasks.map(([weight, write]) => ({ title: capitalise(write(aim.object)), weight }));
  if (!isSized || stage.isMain !== true || mainIndex > 0 || measure === undefined) return plain;
  const { from, to, unit } = measure;
  const parts = splitRange(from, to, Math.min(MAX_SIZED_TASKS, Math.ceil(to - from)));
  const titled = parts.map(([first, last]) => ({
    title: `${capitalise(unit)} ${first === last ? first : `${first} to ${last}`}: ${aim.title}`,
    weight: last - first + 1,
  }));
  return titled.length > 0 ? titled : plain;
}

/** Weights of the tasks of a stage. Work of a stated size is in the first main stage. */
function weighTasks(
  list: readonly PlannedTask[],
  stage: Stage,
  stages: readonly Stage[],
  isSized: boolean,
): readonly number[] {
  const total = list.reduce((sum, { weight }) => sum + weight, 0);
  if (!isSized) return list.map(({ weight }) => (stage.weight * weight) / total);
  const firstMain = stages.find(({ isMain }) => isMain === true);
  const share = stage === firstMain ? 1 : SURROUNDING_SHARE / Math.max(1, stages.length - 1);
  return list.map(({ weight }) => (share * weight) / total);
}
