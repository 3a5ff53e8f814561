import { z } from 'zod';
import { wellFormedText } from '../submit/well-formed-text.js';

export const eraseRequestSchema = z
  .strictObject({
    /** Kept in the log, where everybody may see it: the job has no key any more that could hide it. */
    reason: wellFormedText().max(2_000).optional(),
    /** Who asks, for the audit. */
    actor: wellFormedText().min(1).max(200).optional(),
  })
  .meta({ id: 'EraseRequest' });
export type EraseRequest = z.infer<typeof eraseRequestSchema>;

/** Who asked for the end of a job's content, and when. */
export const erasedSchema = z
  .object({ actor: z.string(), at: z.iso.datetime(), reason: z.string() })
  .meta({ id: 'Erased' });
export type Erased = z.infer<typeof erasedSchema>;

export const eraseResponseSchema = z
  .object({
    jobId: z.uuid(),
    /** False when the job was erased before. */
    changed: z.boolean(),
    /** Of the request that did it. */
    erased: erasedSchema,
  })
  .meta({ id: 'EraseResponse' });
export type EraseResponse = z.infer<typeof eraseResponseSchema>;
