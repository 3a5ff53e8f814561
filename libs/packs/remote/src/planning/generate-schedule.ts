import { toCanonicalJson, type JsonValue } from '@phaseline/basics';
import type { schedulingSpec } from '@phaseline/pack-specs';
import {
  buildScheduleProblem,
  checkSchedule,
  describeConflict,
  describeRelaxation,
  generateSchedule,
  type PlanOutline,
  type PlacedSchedule,
  type ScheduleAnswer,
  type ScheduleProblem,
  toSchedule,
  toSnakeCase,
} from '@phaseline/planning';
import type { ToolOutcome, ToolRun } from '@phaseline/tools';
import { encodeText, type FileChange } from '@phaseline/workspace';
import { hashArtifact, readContext, readOutline, readRoadmap } from './plan-input.js';

const SCHEDULE_FILE = 'plan/schedule.json';
/** Why there is no schedule, and what would help. */
const CONFLICT_FILE = 'plan/conflict.json';

/** Computes the schedule, or proves that there is none. The same plan always has the same answer. */
export const runScheduleGenerator: ToolRun<typeof schedulingSpec, 'schedule_generator'> = async (
  { workspace },
  { confidence },
) => {
  const [context, outline, roadmap] = await Promise.all([
    readContext(workspace),
    readOutline(workspace),
    readRoadmap(workspace),
  ]);
  const roadmapHash = hashArtifact(roadmap);
  const problem = buildScheduleProblem({ context, outline, roadmap });
  const answer = generateSchedule(problem);
  if (answer.kind !== 'feasible')
    return reportConflict(answer, { outline, roadmapHash, zone: context.zone, confidence });
  requireCorrect(problem, answer.schedule);
  const schedule = toSchedule({ context, outline, roadmap, roadmapHash, problem, placed: answer.schedule });
  const last = schedule.tasks
    .map(({ end }) => end)
    .sort()
    .at(-1);
  const explanations = [`${schedule.tasks.length} tasks are placed; the last one ends ${last ?? 'at once'}.`];
  return report({ confidence, explanations, data: schedule }, [writeJson(SCHEDULE_FILE, schedule)]);
};

/** A schedule that breaks a rule is a defect of the search: it is never shown to a person. */
function requireCorrect(problem: ScheduleProblem, schedule: PlacedSchedule): void {
  const [violation] = checkSchedule(problem, schedule);
  if (violation) throw new Error(`the schedule breaks the rule ${violation.rule}`);
}

/** Names of choices. More than three relaxations are never suggested. */
const CHOICE_IDS = ['a', 'b', 'c'] as const;

function reportConflict(
  answer: Exclude<ScheduleAnswer, { kind: 'feasible' }>,
  plan: {
    readonly outline: PlanOutline;
    readonly roadmapHash: string;
    readonly zone: string;
    readonly confidence: number;
  },
): ToolOutcome {
  const { outline, roadmapHash, zone, confidence } = plan;
  const isProved = answer.kind === 'infeasible';
  const relaxations = isProved ? answer.relaxations.slice(0, CHOICE_IDS.length) : [];
  const conflict = {
    roadmapHash,
    code: isProved ? 'infeasible' : 'search_limit',
    text: isProved
      ? describeConflict(answer.proof, outline, zone)
      : `No schedule was found after ${answer.triedPlacements} attempts to place a task, and no proof that there is none.`,
    choices: relaxations.map((one, index) => ({ id: CHOICE_IDS[index]!, title: describeRelaxation(one, outline) })),
    relaxations,
    ...(isProved && { proof: answer.proof, notMinimal: answer.notMinimal }),
  };
  const explanations = [conflict.text, ...conflict.choices.map(({ title }) => title)];
  return report({ confidence, explanations, data: conflict }, [writeJson(CONFLICT_FILE, conflict)]);
}

/** Writes the result of a tool that computes: text for the model, and what checks read. */
export function report(
  answer: { readonly confidence: number; readonly explanations: readonly string[]; readonly data: object },
  files: readonly FileChange[],
): ToolOutcome {
  const common = { ok: true, confidence: answer.confidence, explanations: [...answer.explanations] };
  const data = toSnakeCase(JSON.parse(JSON.stringify(answer.data)) as JsonValue);
  return { content: JSON.stringify({ ...common, data }), result: common, files };
}

export function writeJson(path: string, value: object): FileChange {
  return { path, content: encodeText(toCanonicalJson(value)) };
}
