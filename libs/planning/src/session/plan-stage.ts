import { assertNever } from '@phaseline/basics';

/** Stages that draft an artifact which is validated. */
export const draftStages = ['outline', 'roadmap', 'schedule'] as const;
export type DraftStage = (typeof draftStages)[number];

/** Every stage of a plan, in order. */
export const planStages = ['context', ...draftStages, 'approval'] as const;
export type PlanStage = (typeof planStages)[number];

/** Returns the stage after a draft stage. */
export function getNextStage(stage: DraftStage): Exclude<PlanStage, 'context' | 'outline'> {
  switch (stage) {
    case 'outline':
      return 'roadmap';
    case 'roadmap':
      return 'schedule';
    case 'schedule':
      return 'approval';
    default:
      return assertNever(stage);
  }
}
