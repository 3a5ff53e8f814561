import { forkModes, jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { jobFailureSchema, jobResultSchema, usageSchema } from '../job/job-summary.js';
import { fileChangesSchema, usageChangeSchema } from './job-diff.js';

const sideSchema = z
  .object({
    jobId: jobIdSchema,
    status: z.string(),
    agent: z.string(),
    phaseCount: z.int().min(0),
    usage: usageSchema,
    fileCount: z.int().min(0),
    result: jobResultSchema.optional(),
    failure: jobFailureSchema.optional(),
    fork: z
      .object({
        parent: z.object({ jobId: jobIdSchema, version: z.int().min(1), hash: z.string() }),
        position: z.int().min(1),
        mode: z.enum(forkModes),
      })
      .optional(),
  })
  .meta({ id: 'ComparedJob' });
export type ComparedJob = z.infer<typeof sideSchema>;

const comparedEventSchema = z
  .object({
    /** Type of the event. */
    type: z.string(),
    step: z.int().min(0),
    position: z.int().min(0),
    /** Comparable content, without ids, times and prices. */
    content: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ComparedEvent' });
export type ComparedEvent = z.infer<typeof comparedEventSchema>;

export const jobComparisonSchema = z
  .object({
    left: sideSchema,
    right: sideSchema,
    /** Usage of the right job minus usage of the left job. */
    usageChange: usageChangeSchema,
    files: fileChangesSchema,
    hasSameFiles: z.boolean(),
    /** First difference; a side is missing if that job has no further event. Missing if the jobs are equal. */
    firstDifference: z
      .object({
        phase: z.int().min(1),
        step: z.int().min(0),
        left: comparedEventSchema.optional(),
        right: comparedEventSchema.optional(),
      })
      .optional(),
  })
  .meta({ id: 'JobComparison' });
export type JobComparisonResponse = z.infer<typeof jobComparisonSchema>;
