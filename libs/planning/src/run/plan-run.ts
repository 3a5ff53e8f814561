import { z } from 'zod';
import {
  contentHashSchema,
  instantSchema,
  MAX_SENTENCES_CHARACTERS,
  nameSchema,
  sentencesSchema,
  titleSchema,
} from '../artifacts/fields.js';
import { scheduleClockSchema } from './schedule-clock.js';

/** Files of a task that tasks after it get. */
const MAX_FILES = 100;
/** How often a plan can be replaced while it is carried out. */
const MAX_REPLACED = 20;

/** Whether a person says that a task of theirs is done, or it counts as done at its planned end. */
const peopleModes = ['confirm', 'as_planned'] as const;

/** A task, or an occurrence of a recurring one, that has begun. */
const runItemSchema = z.strictObject({
  status: z.enum(['running', 'done', 'skipped', 'failed']),
  startedAt: instantSchema.describe('By the clock of the schedule'),
  endedAt: instantSchema.optional(),
  by: nameSchema.optional().describe('Who ended it: a person, an agent, or the plan'),
  note: sentencesSchema.optional().describe('What the agent or the person said about it'),
  files: z.array(z.string().max(1_000)).max(MAX_FILES).optional().describe('What an agent delivered'),
});
export type RunItem = z.infer<typeof runItemSchema>;

const itemsSchema = z.record(z.string().max(100), runItemSchema);

/** How far a plan is carried out. It is a file of the workspace that only the tools of runs write. Tasks without an entry have not begun. */
export const planRunSchema = z
  .strictObject({
    planId: z.string().max(100),
    goalId: titleSchema.optional(),
    contentHash: contentHashSchema.describe('Schedule that is carried out'),
    people: z.enum(peopleModes),
    clock: scheduleClockSchema.optional().describe('Clock of a rehearsal'),
    items: itemsSchema,
    earlier: z
      .array(z.strictObject({ contentHash: contentHashSchema, why: sentencesSchema, items: itemsSchema }))
      .max(MAX_REPLACED)
      .describe('Schedules that were replaced, and how far they were carried out'),
    remark: z.string().max(MAX_SENTENCES_CHARACTERS).optional().describe('What the next message begins with'),
    replan: sentencesSchema.optional().describe('Why the plan is to be made again'),
  })
  .meta({ title: 'PlanRun' });
export type PlanRun = z.infer<typeof planRunSchema>;

/** What a run is submitted with, as the parameters of its job. The plan itself is its document `plan.json`. */
export const planRunRequestSchema = z
  .object({
    planId: z.string().min(1).max(100),
    goalId: titleSchema.optional().describe('Goal of the plan; default: the id of the plan'),
    contentHash: contentHashSchema.describe('Schedule that was approved'),
    people: z.enum(peopleModes).default('confirm'),
    clock: scheduleClockSchema.omit({ at: true }).optional(),
  })
  .meta({ title: 'PlanRunRequest' });
