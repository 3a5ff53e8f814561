import { z } from 'zod';
import { computeContentHash, type HashText } from './content-hash.js';
import { planContextSchema } from './plan-context.js';
import { planOutlineSchema } from './plan-outline.js';
import { roadmapSchema } from './roadmap.js';
import { scheduleSchema } from './schedule.js';

/** The artifacts of an approved plan in one file: what a planning job hands to others. */
export const approvedPlanSchema = z
  .strictObject({
    context: planContextSchema,
    outline: planOutlineSchema,
    roadmap: roadmapSchema,
    schedule: scheduleSchema,
  })
  .meta({ title: 'ApprovedPlan' });
export type ApprovedPlan = z.infer<typeof approvedPlanSchema>;

/** Returns the content hash of the schedule, by which a plan was approved. */
export function hashPlan({ schedule }: ApprovedPlan, hashText: HashText): string {
  return computeContentHash(schedule, hashText);
}

/** Returns which artifact was made from another one than the plan has; undefined if the plan is whole. */
export function findBrokenLink({ context, outline, roadmap, schedule }: ApprovedPlan, hashText: HashText) {
  if (schedule.roadmapHash !== computeContentHash(roadmap, hashText)) return 'schedule';
  if (roadmap.outlineHash !== computeContentHash(outline, hashText)) return 'roadmap';
  return outline.contextHash === computeContentHash(context, hashText) ? undefined : 'outline';
}
