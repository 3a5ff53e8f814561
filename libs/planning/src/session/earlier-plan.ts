import { z } from 'zod';
import { approvedPlanSchema } from '../artifacts/approved-plan.js';
import { nameSchema } from '../artifacts/fields.js';
import { MAX_MESSAGES, messageSchema } from './plan-session.js';

/** An approved plan, and what was said when it was made: what a new session about its goal starts from. */
export const earlierPlanSchema = z
  .strictObject({
    planId: nameSchema,
    plan: approvedPlanSchema,
    messages: z.array(messageSchema).max(MAX_MESSAGES).describe('Oldest first'),
  })
  .meta({ title: 'EarlierPlan' });
export type EarlierPlan = z.infer<typeof earlierPlanSchema>;
