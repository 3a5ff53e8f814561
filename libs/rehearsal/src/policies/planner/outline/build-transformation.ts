import type { PlanNode } from '../session.js';
import { buildStages } from './build-project.js';
import { capitalise, countParts, type Draft } from './draft.js';
import { countFreeMinutes, countPlanDays, countStatedMinutes } from './plan-frame.js';
import { listTransformationStages } from './stages.js';

/** Days beyond which a transformation has one more stage. */
const STAGE_LIMITS = [30, 180];
const MAX_STAGES = 8;
const MINUTES_PER_WEEK = 180;

/** Builds stages with exit criteria that follow one another. A quantity of the goal is what its last stage reaches. */
export function buildTransformation(draft: Draft): readonly PlanNode[] {
  const { goal, frame, changes } = draft;
  const { before, after } = goal.states ?? { before: 'the present state', after: goal.aim.object };
  const count = countParts(countPlanDays(frame), STAGE_LIMITS, 2, MAX_STAGES, changes.morePhases);
  const stages = listTransformationStages(count, before, after);
  const nodes = buildStages(
    draft,
    stages,
    countFreeMinutes(frame, () => 0),
    countStatedMinutes(frame) ?? MINUTES_PER_WEEK,
  );
  const lastStage = `p${stages.length}`;
  return nodes.map((node): PlanNode => {
    if (node.level === 'L1') {
      const stage = stages[Number(node.id.slice(1)) - 1]!;
      return { ...node, endCriterion: capitalise(stage.criterion(after)) };
    }
    const { measure } = goal;
    if (node.id !== `${lastStage}m` || measure?.isCumulative !== true) return node;
    const { unit, from, to } = measure;
    return { ...node, time: 'cumulative', measure: { unit, from, targets: [{ value: to, by: frame.end }] } };
  });
}
