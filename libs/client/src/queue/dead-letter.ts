import { queuedMessageIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';

/** A message that was rejected and will not be delivered again automatically, with the reason. */
export const deadLetterSchema = z
  .object({
    id: z.string(),
    queue: z.string(),
    messageId: queuedMessageIdSchema,
    /** Kind of rejection, such as `unparsable` or `exhausted`. */
    kind: z.string().optional(),
    /** Explanation for people. */
    reason: z.string(),
    /** Stable code of the last error, if it had one. */
    code: z.string().optional(),
    /** Number of failed deliveries. */
    attempts: z.int().min(0),
    failedAt: z.iso.datetime(),
    /** The payload as received. It may not match the contract of the queue. */
    payload: z.unknown(),
    /** Size of the payload in bytes; set if `payload` contains only the beginning of its text. */
    payloadBytes: z.int().optional(),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetterRecord = z.infer<typeof deadLetterSchema>;

export const deadLettersQuerySchema = z
  .strictObject({
    queue: z.string().min(1).max(100).optional(),
    cursor: z.string().min(1).max(500).optional(),
    limit: queryInteger({ min: 1, max: 200 }).default(50),
  })
  .meta({ id: 'DeadLettersQuery' });
export type DeadLettersQuery = z.infer<typeof deadLettersQuerySchema>;

/** A page of dead letters, latest failure first. */
export const deadLetterPageSchema = z
  .object({ items: z.array(deadLetterSchema), nextCursor: z.string().optional() })
  .meta({ id: 'DeadLetterPage' });
export type DeadLetterPage = z.infer<typeof deadLetterPageSchema>;

/** Result of a request to send the message of a dead letter again. */
export const deadLetterRetrySchema = z
  .object({
    id: z.string(),
    queue: z.string(),
    messageId: queuedMessageIdSchema,
    /** False if the dead letter had already been retried. Retrying twice is not an error. */
    changed: z.boolean(),
  })
  .meta({ id: 'DeadLetterRetry' });
export type DeadLetterRetry = z.infer<typeof deadLetterRetrySchema>;

/** Result of a request to discard a dead letter without sending its message again. */
export const deadLetterDiscardSchema = z
  .object({
    id: z.string(),
    queue: z.string(),
    messageId: queuedMessageIdSchema,
    /** False if the dead letter had already been discarded. Discarding twice is not an error. */
    changed: z.boolean(),
  })
  .meta({ id: 'DeadLetterDiscard' });
export type DeadLetterDiscard = z.infer<typeof deadLetterDiscardSchema>;
