import { assertNever } from '@phaseline/basics';
import type { schedulingSpec } from '@phaseline/pack-specs';
import {
  applyRelaxationToPlan,
  boundText,
  buildScheduleProblem,
  checkSchedule,
  describeConflict,
  describeRelaxation,
  generateSchedule,
  type PlanArtifacts,
  planPaths,
  type Relaxation,
  type PlacedSchedule,
  type ScheduleAnswer,
  type ScheduleConflict,
  type ScheduleProblem,
  toSchedule,
} from '@phaseline/planning';
import type { ToolRun } from '@phaseline/tools';
import type { WorkspaceReader } from '@phaseline/workspace';
import { hashArtifact, readContext, readOutline, readRoadmap, readTakenTime } from './plan-input.js';
import { type ComputedAnswer, rememberCall } from './remember-call.js';
import { buildAnswer, writeJson } from './write-answer.js';

/** Computes the schedule around the other plans of the person, or proves that there is none. The same plan always has the same answer. */
export const runScheduleGenerator: ToolRun<typeof schedulingSpec, 'schedule_generator'> = (context, input) =>
  rememberCall('schedule_generator', context, input, () => computeSchedule(context.workspace, input.confidence));

async function computeSchedule(workspace: WorkspaceReader, confidence: number): Promise<ComputedAnswer> {
  const [context, outline, roadmap, taken] = await Promise.all([
    readContext(workspace),
    readOutline(workspace),
    readRoadmap(workspace),
    readTakenTime(workspace),
  ]);
  const roadmapHash = hashArtifact(roadmap);
  const problem = buildScheduleProblem({ context, outline, roadmap, taken });
  const answer = generateSchedule(problem);
  if (answer.kind !== 'feasible') return reportConflict(answer, { context, outline, roadmap, roadmapHash, confidence });
  requireCorrect(problem, answer.schedule);
  const schedule = toSchedule({ context, outline, roadmap, roadmapHash, problem, placed: answer.schedule });
  const last = schedule.tasks
    .map(({ end }) => end)
    .sort()
    .at(-1);
  const explanations = [`${schedule.tasks.length} tasks are placed; the last one ends ${last ?? 'at once'}.`];
  return buildAnswer({ confidence, explanations, data: schedule }, [writeJson(planPaths.schedule, schedule)]);
}

/** A schedule that breaks a rule is a defect of the search: it is never shown to a person. */
function requireCorrect(problem: ScheduleProblem, schedule: PlacedSchedule): void {
  const [violation] = checkSchedule(problem, schedule);
  if (violation) throw new Error(`the schedule breaks the rule ${violation.rule}`);
}

/** Names of choices. More than three relaxations are never suggested. */
const CHOICE_IDS = ['a', 'b', 'c'] as const;

function reportConflict(answer: Exclude<ScheduleAnswer, { kind: 'feasible' }>, plan: SearchedPlan): ComputedAnswer {
  const { outline, roadmapHash, context, confidence } = plan;
  const isProved = answer.kind === 'infeasible';
  const relaxations = isProved ? answer.relaxations.slice(0, CHOICE_IDS.length) : [];
  const conflict: ScheduleConflict = {
    roadmapHash,
    code: isProved ? 'infeasible' : 'search_limit',
    text: isProved
      ? boundText(describeConflict(answer.proof, outline, context.zone))
      : `No schedule was found after ${answer.triedPlacements} attempts to place a task, and no proof that there is none.`,
    choices: relaxations.map((relaxation, index) => ({
      id: CHOICE_IDS[index]!,
      title: boundText(describeRelaxation(relaxation, outline)),
      // Found here, because it is searched for: what follows from the choice of a person must not block a worker.
      change: findChange(relaxation, plan),
    })),
  };
  const proof = isProved ? { proof: answer.proof, notMinimal: answer.notMinimal } : {};
  const explanations = [conflict.text, ...conflict.choices.map(({ title }) => title)];
  return buildAnswer({ confidence, explanations, data: { ...conflict, ...proof } }, [
    writeJson(planPaths.conflict, { ...conflict, ...proof }),
  ]);
}

interface SearchedPlan extends PlanArtifacts {
  readonly roadmapHash: string;
  readonly confidence: number;
}

function findChange(relaxation: Relaxation, plan: SearchedPlan): ScheduleConflict['choices'][number]['change'] {
  const { changed, context, outline, roadmap } = applyRelaxationToPlan(relaxation, plan);
  switch (changed) {
    case 'context':
      return { kind: changed, artifact: context };
    case 'outline':
      return { kind: changed, artifact: outline };
    case 'roadmap':
      return { kind: changed, artifact: roadmap };
    default:
      return assertNever(changed);
  }
}
