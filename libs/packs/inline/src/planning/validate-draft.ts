import type { planningSpec } from '@phaseline/pack-specs';
import { draftStages, toValidatorResult, validateStage, type DraftStage } from '@phaseline/planning';
import type { ToolInput } from '@phaseline/tools';
import type { PlanWork } from './plan-work.js';
import { makePlanningTool } from './run-planning-tool.js';

type ValidatorInput = ToolInput<typeof planningSpec, 'grammar_validator'>;

/** Validates the artifact of the stage, for the model. The gate validates it again. */
export const validateDraft = makePlanningTool('grammar_validator', (work, _input: ValidatorInput) => {
  const stage = findDraftStage(work);
  const report = validateStage(stage, work.session, work.artifacts);
  const result = toValidatorResult(report);
  return {
    confidence: report.score,
    explanations: report.violations.map(({ message }) => message),
    violations: report.violations.map(({ code }) => code),
    data: result,
  };
});

/** The stage whose artifact is validated: that of the session, or the last one that has an artifact. */
function findDraftStage({ session, artifacts }: PlanWork): DraftStage {
  const current = draftStages.find((stage) => stage === session.stage && artifacts[stage] !== undefined);
  const last = current ?? draftStages.findLast((stage) => session.hashes[stage] !== undefined);
  if (last === undefined) throw new RangeError('There is nothing to validate yet.');
  return last;
}
