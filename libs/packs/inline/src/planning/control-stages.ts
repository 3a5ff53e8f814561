import type { PhaseState } from '@phaseline/domain';
import type { planningSpec } from '@phaseline/pack-specs';
import {
  assessContext,
  assessDraft,
  computeConfidence,
  decideValidation,
  describeOutlineChange,
  describeRoadmapChange,
  fixStage,
  measureHeuristics,
  type DraftDecision,
  type DraftStage,
  type PlanOutline,
  type Roadmap,
  type StageConfidence,
  validateStage,
} from '@phaseline/planning';
import type { InlineToolOutcome, ToolRun } from '@phaseline/tools';
import { readConflict } from './conflict-file.js';
import { PlanWork } from './plan-work.js';
import { readPortfolioVersion } from './portfolio-file.js';

/** Decides whether enough is known. */
export const controlContext: ToolRun<typeof planningSpec, 'assess_context'> = async (context) => {
  const work = await PlanWork.read(context);
  const { session, outcome } = assessContext(work.session, work.session.hashes.context!);
  work.session = session;
  return finish(work, outcome, undefined);
};

/** Computes the confidence of a draft and decides what follows. */
export const controlDraft: ToolRun<typeof planningSpec, 'assess_stage'> = async (context, { stage }) => {
  const work = await PlanWork.read(context);
  if (stage === 'schedule') {
    const conflict = await readConflict(context.workspace, work.session.hashes.roadmap);
    // Why there is no schedule was proved, so no confidence is left to compute.
    if (conflict) return finish(work, 'success', undefined);
    work.adoptArtifact('schedule');
    const portfolioVersion = await readPortfolioVersion(context.workspace);
    if (portfolioVersion !== undefined) work.session = { ...work.session, portfolioVersion };
  }
  let decision = assess(work, stage, context.state);
  if ('applyFixes' in decision) {
    work.session = decision.session;
    await applyFixes(work, stage);
    decision = assess(work, stage, context.state);
  }
  if ('applyFixes' in decision) throw new Error('fixes are applied once');
  work.session = decision.session;
  return finish(work, decision.outcome, decision.message);
};

function assess(work: PlanWork, stage: DraftStage, state: PhaseState): DraftDecision {
  const report = validateStage(stage, work.session, work.artifacts);
  const confidence = measure(work, report.score, state);
  work.record('StageAssessed', {
    ...{ stage, hash: work.session.hashes[stage]! },
    ...confidence,
    heuristicValues: { ...confidence.heuristicValues },
  });
  const hasFixes = report.violations.some(({ remedy }) => remedy.kind === 'fix');
  return assessDraft(work.session, { stage, confidence, violations: report.violations, hasFixes });
}

function measure({ session, artifacts }: PlanWork, validator: number, state: PhaseState): StageConfidence {
  const { outline, context } = artifacts;
  const { patternDistance } = session;
  const heuristicValues = measureHeuristics({
    ...(outline && { outline }),
    ...(context && { facts: context.facts }),
    ...(patternDistance !== undefined && { patternDistance }),
  });
  return computeConfidence({ self: findSelfScore(state), validator, heuristicValues }, session.settings.confidence);
}

/** The confidence of the last tool call of the stage. */
function findSelfScore({ work }: PhaseState): number {
  const scores = work.calls.flatMap(({ result }) => {
    const confidence = result?.['confidence'];
    return typeof confidence === 'number' ? [confidence] : [];
  });
  return scores.at(-1) ?? 0;
}

/** Applies the suggested fixes of a stage. Each changed artifact is recorded with what was changed. */
async function applyFixes(work: PlanWork, stage: DraftStage): Promise<void> {
  const { artifact, fixes } = await fixStage(stage, work.session, work.artifacts);
  if (!artifact) return;
  const before = work.artifacts[stage]!;
  const cause = {
    why: fixes.join(' ').slice(0, 2_000),
    introducedBy: 'ai_adaptation',
    by: 'grammar_validator',
  } as const;
  work.recordArtifact(stage, artifact);
  const change =
    stage === 'outline'
      ? describeOutlineChange(before as PlanOutline, artifact as PlanOutline, cause)
      : stage === 'roadmap'
        ? describeRoadmapChange(before as Roadmap, artifact as Roadmap, cause)
        : undefined;
  if (change) work.recordAdaptation(change);
}

/** Validates the artifact of a stage and decides what follows. No model is asked. */
export const controlValidation: ToolRun<typeof planningSpec, 'validate_artifact'> = async (context, { stage }) => {
  const work = await PlanWork.read(context);
  const conflict =
    stage === 'schedule' ? await readConflict(context.workspace, work.session.hashes.roadmap) : undefined;
  if (conflict) {
    const { code, text, choices } = conflict;
    const none = { stage, hash: '', outcome: 'valid' as const, violations: [] };
    const decision = decideValidation(work.session, {
      ...none,
      conflict: { code, text, choices: choices.map(({ id, title }) => ({ id, title })) },
    });
    work.session = decision.session;
    return finish(work, decision.outcome, undefined);
  }
  const { outcome, violations } = validateStage(stage, work.session, work.artifacts);
  const decision = decideValidation(work.session, { stage, hash: work.session.hashes[stage]!, outcome, violations });
  work.session = decision.session;
  return finish(work, decision.outcome, undefined);
};

/** Ends a controller: with an outcome, or with what the model is to change. */
export function finish(work: PlanWork, outcome: string | undefined, message: string | undefined): InlineToolOutcome {
  return work.finish({ content: message ?? '', result: outcome === undefined ? {} : { outcome } });
}
