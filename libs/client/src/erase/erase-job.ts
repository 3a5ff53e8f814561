import { z } from 'zod';
import { wellFormedText, jobIdSchema } from '@phaseline/contracts';

export const eraseRequestSchema = z
  .strictObject({
    /** Stored unencrypted in the event log, because the job no longer has a key. */
    reason: wellFormedText().max(2_000).optional(),
  })
  .meta({ id: 'EraseRequest' });
export type EraseRequest = z.infer<typeof eraseRequestSchema>;

/** Records who erased the content of a job, when and why. */
export const erasureSchema = z
  .object({ actor: z.string(), erasedAt: z.iso.datetime(), reason: z.string() })
  .meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof erasureSchema>;

export const eraseResponseSchema = z
  .object({
    jobId: jobIdSchema,
    /** False if the job had been erased before. */
    changed: z.boolean(),
    /** Record of the request that erased the job. */
    erasure: erasureSchema,
  })
  .meta({ id: 'EraseResponse' });
export type EraseResponse = z.infer<typeof eraseResponseSchema>;
