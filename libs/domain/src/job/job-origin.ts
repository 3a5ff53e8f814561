import { callIdSchema, jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';

/** The batch for which the orchestrator submitted a job of an agent with `startWhen`. */
export const followOnSchema = z.object({
  collection: z.string(),
  /** Number of the batch of this agent, tenant and collection, from 1. */
  batch: z.int().min(1),
  /** Number of requirements in the batch. */
  requirements: z.int().min(1),
});
export type FollowOn = z.infer<typeof followOnSchema>;

/** The call of another job that delegated a task to this job. */
export const delegatedBySchema = z.object({
  jobId: jobIdSchema,
  phase: z.int().min(1),
  callId: callIdSchema,
  /** 1 for a child of a job that was submitted, 2 for its child. */
  depth: z.int().min(1),
  /** Maximum size of the summary that the parent reads, in tokens. */
  maxTokens: z.int().min(1),
});
export type DelegatedBy = z.infer<typeof delegatedBySchema>;
