/** Stages that draft an artifact which is validated. */
export const draftStages = ['outline', 'roadmap', 'schedule'] as const;
export type DraftStage = (typeof draftStages)[number];

/** Every stage of a plan, in order. */
export const planStages = ['context', ...draftStages, 'approval'] as const;
export type PlanStage = (typeof planStages)[number];

/** Returns the stage after a draft stage. */
export function getNextStage(stage: DraftStage): PlanStage {
  return planStages[planStages.indexOf(stage) + 1]!;
}

/** Whether a stage comes before another one. */
export function isBefore(stage: PlanStage, other: PlanStage): boolean {
  return planStages.indexOf(stage) < planStages.indexOf(other);
}
