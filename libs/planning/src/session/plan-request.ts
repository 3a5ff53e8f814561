import { z } from 'zod';
import { nameSchema, titleSchema, daySchema, zoneSchema, textSchema } from '../artifacts/fields.js';
import { capacitySchema, workingCalendarSchema } from '../artifacts/plan-context.js';
import { strategyProfileSchema } from '../artifacts/strategy-profile.js';
import { patternDefinitionSchema } from '../patterns/pattern-definition.js';
import { policyOverridesSchema } from '../policy/interaction-policy.js';
import { MAX_MESSAGE_CHARACTERS } from './plan-session.js';

/** What a planning job is submitted with, as the parameters of the job. Everything but the goal has a default or is asked. */
export const planRequestSchema = z
  .object({
    goal: textSchema(MAX_MESSAGE_CHARACTERS),
    goalId: titleSchema.optional().describe('Groups the sessions about one goal; default: the id of the job'),
    user: nameSchema.optional().describe('Person for whom the plan is made; the submitter if absent'),
    zone: zoneSchema.optional(),
    start: daySchema.optional(),
    end: daySchema.optional(),
    calendar: workingCalendarSchema.optional(),
    capacity: capacitySchema.optional(),
    strategy: strategyProfileSchema.optional(),
    preferences: policyOverridesSchema.default({}).describe('Lasting preferences of the person'),
    wasStyleAsked: z.boolean().default(false),
    retryLimitPerStage: z.int().min(0).max(10).optional().describe('Lowers that of the agent'),
    policy: policyOverridesSchema.default({}).describe('What applies to this session only'),
    approvedProposals: z.array(titleSchema).max(500).default([]),
    patterns: z.array(patternDefinitionSchema).max(40).default([]).describe('Approved patterns of the tenant'),
  })
  .meta({ title: 'PlanRequest' });
export type PlanRequest = z.infer<typeof planRequestSchema>;
