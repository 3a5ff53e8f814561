import { z } from 'zod';
import { contentHashSchema, instantSchema, nameSchema, titleSchema } from '../artifacts/fields.js';

/** A task of an approved plan, as its read model has it. */
export interface PortfolioTask {
  /** The plan: the id of its job. */
  readonly plan: string;
  readonly task: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly zone: string;
  readonly recurrence?: string;
  /** Work in minutes; absent if it is as long as the task. */
  readonly workMinutes?: number;
  /** Days on which a recurring task does not take place. */
  readonly exceptDays?: readonly string[];
}

const busyTimeSchema = z.strictObject({
  plan: nameSchema,
  task: nameSchema,
  title: titleSchema,
  start: instantSchema,
  end: instantSchema,
  isExact: z.boolean().describe('Whether the work is at this time; otherwise only its day is known'),
});

/** Times that a portfolio lists; the latest ones are left out. */
export const MAX_BUSY_TIMES = 5_000;

/** The other approved plans of a person, as they were read. */
export const portfolioSchema = z
  .strictObject({
    version: contentHashSchema.describe('Hash of the tasks that were read'),
    busy: z.array(busyTimeSchema).max(MAX_BUSY_TIMES),
  })
  .meta({ title: 'Portfolio' });
export type Portfolio = z.infer<typeof portfolioSchema>;
