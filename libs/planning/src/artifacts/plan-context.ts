import { z } from 'zod';
import { interactionPolicySchema } from '../policy/interaction-policy.js';
import {
  contentHashSchema,
  daySchema,
  nameSchema,
  nodeIdSchema,
  sentencesSchema,
  textSchema,
  titleSchema,
  zoneSchema,
} from './fields.js';
import { patternSpecSchema } from './pattern-spec.js';
import { strategyProfileSchema, weekdaySchema } from './strategy-profile.js';

const MINUTES_PER_DAY = 24 * 60;
const timeSchema = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'expected a time such as 09:00');

/** Working hours of a user. Days without an entry are closed. */
export const workingCalendarSchema = z.strictObject({
  hours: z
    .array(z.strictObject({ weekday: weekdaySchema, from: timeSchema, to: timeSchema }))
    .max(42)
    .describe('Open hours per weekday; several entries of one weekday make pauses'),
  holidays: z.array(z.strictObject({ day: daySchema, title: titleSchema.optional() })).max(400),
});

/** Work that fits in a day and a week, in minutes. */
export const capacitySchema = z.strictObject({
  minutesPerDay: z.int().min(1).max(MINUTES_PER_DAY),
  minutesPerWeek: z
    .int()
    .min(1)
    .max(7 * MINUTES_PER_DAY),
});

const planDatesSchema = z.strictObject({
  start: daySchema.describe('First day on which work may be placed'),
  end: daySchema.optional().describe('Last day on which work may be placed'),
  fixed: z
    .array(z.strictObject({ node: nodeIdSchema.optional(), title: titleSchema, day: daySchema }))
    .max(200)
    .describe('Days that cannot be moved, such as an exam'),
});

/** What is known about a goal before it is planned: first artifact of a plan. */
export const planContextSchema = z
  .strictObject({
    previousHash: contentHashSchema
      .optional()
      .describe('Context that this one replaces, as when the pattern was selected'),
    goal: textSchema(4_000),
    user: nameSchema,
    zone: zoneSchema,
    calendar: workingCalendarSchema,
    capacity: capacitySchema,
    dates: planDatesSchema,
    strategy: strategyProfileSchema,
    portfolioVersion: z
      .union([z.literal(0), contentHashSchema])
      .describe('Hash of the other approved plans of the user that were read; 0 if nothing was read'),
    facts: z
      .array(z.strictObject({ question: sentencesSchema, answer: sentencesSchema, isAssumed: z.boolean() }))
      .max(100)
      .describe('Answers of the person, and assumptions where nothing was asked'),
    pattern: patternSpecSchema.optional(),
    policy: interactionPolicySchema,
  })
  .meta({ title: 'PlanContext' });
export type PlanContext = z.infer<typeof planContextSchema>;
