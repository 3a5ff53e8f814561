import { z } from 'zod';
import { wellFormedText, jobStatusSchema, jobIdSchema } from '@phaseline/contracts';

export const cancelRequestSchema = z
  .strictObject({
    /** Stored in the event log and shown to people. */
    reason: wellFormedText().max(2_000).optional(),
    /** Position of the job as the caller saw it; see `control-job.ts`. */
    ifUnchangedSince: z.int().min(0).optional(),
  })
  .meta({ id: 'CancelRequest' });
export type CancelRequest = z.infer<typeof cancelRequestSchema>;

export const cancelResponseSchema = z
  .object({
    jobId: jobIdSchema,
    status: jobStatusSchema,
    /** False if the job had already ended. Cancelling twice is not an error. */
    changed: z.boolean(),
  })
  .meta({ id: 'CancelResponse' });
export type CancelResponse = z.infer<typeof cancelResponseSchema>;
