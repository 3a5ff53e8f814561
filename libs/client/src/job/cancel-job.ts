import { z } from 'zod';
import { wellFormedText } from '../submit/well-formed-text.js';
import { jobStatusSchema } from './job-status.js';

export const cancelRequestSchema = z
  .strictObject({
    /** Kept in the log and shown to people. */
    reason: wellFormedText().max(2_000).optional(),
    /** Who asks, for the audit. */
    actor: wellFormedText().min(1).max(200).optional(),
    /** As of the other requests: refused when somebody asked something else of the job since it was seen so. */
    ifUnchangedSince: z.int().min(0).optional(),
  })
  .meta({ id: 'CancelRequest' });
export type CancelRequest = z.infer<typeof cancelRequestSchema>;

export const cancelResponseSchema = z
  .object({
    jobId: z.uuid(),
    status: jobStatusSchema,
    /** False when the job had ended before; cancelling twice is no error. */
    accepted: z.boolean(),
  })
  .meta({ id: 'CancelResponse' });
export type CancelResponse = z.infer<typeof cancelResponseSchema>;
