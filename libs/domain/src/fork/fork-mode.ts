import { jobIdSchema, unrecordedSchema } from '@phaseline/contracts';
import { z } from 'zod';

/** Source of answers and results for a phase that does not run live. */
export const recordingSchema = z.object({
  mode: z.enum(['live-model', 'recorded']),
  /** The job that was forked. */
  jobId: jobIdSchema,
  /** What follows where the recording has no result of a call; absent in forks that do not set it. */
  unrecorded: unrecordedSchema.optional(),
});
export type Recording = z.infer<typeof recordingSchema>;

/** An answer that a person wrote to replace the model's. */
export const editedResponseSchema = z.strictObject({
  content: z.string().default(''),
  reasoning: z.string().optional(),
  calls: z
    .array(z.strictObject({ name: z.string().min(1).max(200), arguments: z.record(z.string(), z.json()).default({}) }))
    .max(128)
    .default([]),
});
export type EditedResponse = z.infer<typeof editedResponseSchema>;
