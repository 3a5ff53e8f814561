import { z } from 'zod';
import { erasedSchema } from '../erase/erase-job.js';
import { jobStatusSchema } from './job-status.js';
import { waitsForSchema } from './waits-for.js';

const count = z.int().min(0);

/** The phase that a job is in, or was in last. */
export const phaseSummarySchema = z
  .object({
    number: z.int().min(1),
    kind: z.enum(['strategic', 'tactical']),
    /** The state of the workflow that this phase is a visit to, such as `plan`. */
    state: z.string(),
    /** For people: the title of the state, or the name that the plan gave the phase. */
    name: z.string(),
    todosDone: count,
    todosTotal: count,
    /** The tool that runs at this moment. */
    currentTool: z.string().optional(),
  })
  .meta({ id: 'PhaseSummary' });
export type PhaseSummary = z.infer<typeof phaseSummarySchema>;

/** What a job took so far. `inputTokens` includes the cached ones; a million micro-USD are a dollar. */
export const usageSchema = z
  .object({ inputTokens: count, cachedInputTokens: count, outputTokens: count, costMicroUsd: count, steps: count })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof usageSchema>;

/** What the agent said when it completed the job. */
export const jobResultSchema = z
  .object({
    summary: z.string(),
    deliverables: z.array(z.string()),
    confidence: z.number().min(0).max(1),
    notes: z.string(),
  })
  .meta({ id: 'JobResult' });
export type JobResult = z.infer<typeof jobResultSchema>;

/** Why a job did not complete. `code` is stable; `message` says what to do. */
export const jobFailureSchema = z.object({ code: z.string(), message: z.string() }).meta({ id: 'JobFailure' });
export type JobFailure = z.infer<typeof jobFailureSchema>;

export const jobSummarySchema = z
  .object({
    jobId: z.uuid(),
    agent: z.string(),
    status: jobStatusSchema,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
    /** Of the last event in this picture: what `ifUnchangedSince` of a request takes. An older server does not say. */
    position: count.optional(),
    labels: z.record(z.string(), z.string()).optional(),
    /** Of a job whose content is stored encrypted. Lists show placeholders of it, and only how it went. */
    encrypted: z.literal(true).optional(),
    /** Only of one job, not in lists: its content is gone. */
    erased: erasedSchema.optional(),
    phase: phaseSummarySchema.optional(),
    usage: usageSchema,
    /** Only of one job that has not ended; lists do without it. */
    waitsFor: waitsForSchema.optional(),
    /** Only of a completed job. */
    result: jobResultSchema.optional(),
    /** Only of a failed, blocked or cancelled job. */
    failure: jobFailureSchema.optional(),
    /** Why the job cannot be read to its end, where that is so: the rest is as of right before. It can be cancelled, and forked. */
    unreadable: z.string().optional(),
  })
  .meta({ id: 'JobSummary' });
export type JobSummary = z.infer<typeof jobSummarySchema>;
