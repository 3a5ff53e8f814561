import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';

/** A message that will not be delivered again by itself, with the reason. */
export const deadLetterSchema = z
  .object({
    id: z.string(),
    queue: z.string(),
    messageId: z.string(),
    /** Why it was given up, such as `unparsable` or `exhausted`. */
    kind: z.string().optional(),
    /** For people. */
    reason: z.string(),
    /** The stable code of the last error, when it had one. */
    code: z.string().optional(),
    /** Deliveries that failed. */
    attempts: z.int().min(0),
    failedAt: z.iso.datetime(),
    /** As it came; it need not be what the queue's contract wants. */
    payload: z.unknown(),
    /** Bytes of the payload, where `payload` is only the beginning of its text. */
    payloadBytes: z.int().optional(),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetter = z.infer<typeof deadLetterSchema>;

export const deadLettersQuerySchema = z
  .strictObject({
    queue: z.string().min(1).max(100).optional(),
    cursor: z.string().min(1).max(500).optional(),
    limit: queryInteger({ min: 1, max: 200 }).default(50),
  })
  .meta({ id: 'DeadLettersQuery' });
export type DeadLettersQuery = z.infer<typeof deadLettersQuerySchema>;

/** Latest failure first. */
export const deadLetterPageSchema = z
  .object({ items: z.array(deadLetterSchema), nextCursor: z.string().optional() })
  .meta({ id: 'DeadLetterPage' });
export type DeadLetterPage = z.infer<typeof deadLetterPageSchema>;

/** Outcome of a request to put a message back on its queue. */
export const deadLetterRetrySchema = z
  .object({
    id: z.string(),
    queue: z.string(),
    messageId: z.string(),
    /** False when the letter was retried before; retrying twice is no error. */
    retried: z.boolean(),
  })
  .meta({ id: 'DeadLetterRetry' });
export type DeadLetterRetry = z.infer<typeof deadLetterRetrySchema>;

/** Outcome of a request to close a letter without sending its message again. */
export const deadLetterDiscardSchema = z
  .object({
    id: z.string(),
    queue: z.string(),
    messageId: z.string(),
    /** False when the letter was discarded before; discarding twice is no error. */
    discarded: z.boolean(),
  })
  .meta({ id: 'DeadLetterDiscard' });
export type DeadLetterDiscard = z.infer<typeof deadLetterDiscardSchema>;
