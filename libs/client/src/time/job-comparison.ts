import { z } from 'zod';
import { jobFailureSchema, jobResultSchema, usageSchema } from '../job/job-summary.js';
import { fileChangesSchema, usageChangeSchema } from './job-diff.js';
import { forkModes } from './fork-job.js';

const sideSchema = z
  .object({
    jobId: z.uuid(),
    status: z.string(),
    agent: z.string(),
    phases: z.int().min(0),
    spending: usageSchema,
    files: z.int().min(0),
    completion: jobResultSchema.optional(),
    failure: jobFailureSchema.optional(),
    fork: z
      .object({
        parent: z.object({ jobId: z.uuid(), version: z.int().min(1), hash: z.string() }),
        at: z.int().min(1),
        mode: z.enum(forkModes),
      })
      .optional(),
  })
  .meta({ id: 'ComparedJob' });
export type ComparedJob = z.infer<typeof sideSchema>;

const happeningSchema = z
  .object({
    /** Of the event. */
    type: z.string(),
    step: z.int().min(0),
    position: z.int().min(0),
    /** What the two could have agreed on: no ids, times or prices. */
    content: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ComparedEvent' });
export type ComparedEvent = z.infer<typeof happeningSchema>;

export const jobComparisonSchema = z
  .object({
    left: sideSchema,
    right: sideSchema,
    /** What the right one used more than the left one. */
    spent: usageChangeSchema,
    files: fileChangesSchema,
    sameFiles: z.boolean(),
    /** Where they first went apart; a side is missing where that job has nothing more. Missing when they did the same. */
    firstDifference: z
      .object({
        phase: z.int().min(1),
        step: z.int().min(0),
        left: happeningSchema.optional(),
        right: happeningSchema.optional(),
      })
      .optional(),
  })
  .meta({ id: 'JobComparison' });
export type JobComparison = z.infer<typeof jobComparisonSchema>;
