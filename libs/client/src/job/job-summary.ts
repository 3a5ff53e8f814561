import { z } from 'zod';
import { erasureSchema } from '../erase/erase-job.js';
import { jobStatusSchema, jobIdSchema } from '@phaseline/contracts';
import { jobWaitSchema } from './job-wait.js';
import { waitsForSchema } from './waits-for.js';

const count = z.int().min(0);

/** The current or last phase of a job. */
export const phaseSummarySchema = z
  .object({
    number: z.int().min(1),
    kind: z.enum(['strategic', 'tactical']),
    /** State of the workflow in which the phase runs, such as `plan`. */
    state: z.string(),
    /** Display name: the title of the state, or the name from the plan. */
    name: z.string(),
    todosDone: count,
    todosTotal: count,
    /** Name of the tool that is running. */
    currentTool: z.string().optional(),
  })
  .meta({ id: 'PhaseSummary' });
export type PhaseSummary = z.infer<typeof phaseSummarySchema>;

/** Resources used by a job so far. `inputTokens` includes cached tokens. One US dollar is 1,000,000 micro-USD. */
export const usageSchema = z
  .object({ inputTokens: count, cachedInputTokens: count, outputTokens: count, costMicroUsd: count, steps: count })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof usageSchema>;

/** Result that the agent reported when it completed the job. */
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
export const jobFailureSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    /** What is blocked, if the job is. */
    items: z.array(z.object({ id: z.string().optional(), reason: z.string() })).optional(),
  })
  .meta({ id: 'JobFailure' });
export type JobFailure = z.infer<typeof jobFailureSchema>;

export const jobSummarySchema = z
  .object({
    jobId: jobIdSchema,
    /** Absent in responses of older servers. */
    tenant: z.string().optional(),
    agent: z.string(),
    status: jobStatusSchema,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
    /** Position of the last event included in this summary. Pass it as `ifUnchangedSince` of a request. */
    position: count,
    labels: z.record(z.string(), z.string()).optional(),
    /** Set if the content of the job is stored encrypted. Lists show placeholders instead of the content. */
    encrypted: z.literal(true).optional(),
    /** Set if the content of the job was erased. Not in lists. */
    erasure: erasureSchema.optional(),
    phase: phaseSummarySchema.optional(),
    usage: usageSchema,
    /** What the job waits for, and since when, as the log says it. Absent if it waits for nothing more. */
    waiting: jobWaitSchema.optional(),
    /** Set if the job has not ended. Not in lists. */
    waitsFor: waitsForSchema.optional(),
    /** Set if the job is completed. */
    result: jobResultSchema.optional(),
    /** Set if the job is failed, blocked, aborted or cancelled. */
    failure: jobFailureSchema.optional(),
    /**
     * Set if an event of the job cannot be read: the reason. The other fields are as of the previous event. Such a job
     * can be cancelled and forked.
     */
    unreadableReason: z.string().optional(),
  })
  .meta({ id: 'JobSummary' });
export type JobSummary = z.infer<typeof jobSummarySchema>;
