import { applySuggestedFixes, type ValidationReport } from '../grammar/validate-artifact.js';
import { validateOutline } from '../grammar/outline/validate-outline.js';
import { validateRoadmap } from '../grammar/roadmap/validate-roadmap.js';
import { validateSchedule } from '../grammar/schedule/validate-schedule.js';
import { findGrammar } from '../patterns/find-grammar.js';
import type { DraftedPlan } from './drafted-plan.js';
import type { PlanSession } from './plan-session.js';
import type { DraftStage } from './plan-stage.js';

type Validate = (value: unknown, maxFixes?: number) => ValidationReport<object>;

/**
 * Returns the validator of a stage, with everything that its artifact is checked against. Throws if the artifacts of the stages before it, or the
 * selected pattern, do not exist.
 */
function createStageValidator(stage: DraftStage, session: PlanSession, plan: DraftedPlan): Validate {
  const { selectedPattern, hashes, patterns } = session;
  const { context, outline, roadmap } = plan;
  if (!context || !hashes.context || !selectedPattern) throw new Error('a plan has a context and a pattern first');
  const grammar = findGrammar(selectedPattern, patterns);
  if (stage === 'outline') {
    const check = { context, contextHash: hashes.context, selectedPattern, grammar };
    return (value, maxFixes) => validateOutline(value, check, maxFixes);
  }
  if (!outline || !hashes.outline) throw new Error('a roadmap needs an outline');
  if (stage === 'roadmap') {
    const check = { outline, outlineHash: hashes.outline, selectedPattern, grammar };
    return (value, maxFixes) => validateRoadmap(value, check, maxFixes);
  }
  if (!roadmap || !hashes.roadmap) throw new Error('a schedule needs a roadmap');
  const check = { outline, roadmap, roadmapHash: hashes.roadmap, zone: context.zone };
  return (value, maxFixes) => validateSchedule(value, check, maxFixes);
}

/** Validates the artifact of a stage. Throws if it does not exist. */
export function validateStage(stage: DraftStage, session: PlanSession, plan: DraftedPlan): ValidationReport<object> {
  const artifact = plan[stage];
  if (!artifact) throw new Error(`the plan has no ${stage}`);
  return createStageValidator(stage, session, plan)(artifact);
}

/** Applies the suggested fixes to the artifact of a stage. `artifact` is absent if nothing was fixed. */
export async function fixStage(
  stage: DraftStage,
  session: PlanSession,
  plan: DraftedPlan,
): Promise<{ readonly artifact?: object; readonly fixes: readonly string[] }> {
  const { report, applied } = await applySuggestedFixes(plan[stage], createStageValidator(stage, session, plan));
  const fixes = applied.flatMap(({ remedy }) => (remedy.kind === 'fix' ? [remedy.description] : []));
  return fixes.length > 0 && report.artifact ? { artifact: report.artifact, fixes } : { fixes: [] };
}
