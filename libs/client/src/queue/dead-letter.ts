import { jobIdSchema, queuedMessageIdSchema } from '@phaseline/contracts';
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
    /** When the message was sent, by the clock of its sender; missing if that is not known. */
    enqueuedAt: z.iso.datetime().optional(),
    /** The payload as received. It may not match the contract of the queue. */
    payload: z.unknown(),
    /** Size of the payload in bytes; set if `payload` contains only the beginning of its text. */
    payloadBytes: z.int().optional(),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetterRecord = z.infer<typeof deadLetterSchema>;

/** A dead letter with its whole payload, and what became of messages with the same id. */
export const deadLetterDetailSchema = z
  .object({
    ...deadLetterSchema.shape,
    /** When its message was sent again. */
    retriedAt: z.iso.datetime().optional(),
    /** When a person discarded it. */
    discardedAt: z.iso.datetime().optional(),
    discardedBy: z.string().optional(),
    discardReason: z.string().optional(),
    /** The job that a message of the queue `jobs` submitted when it was sent again. */
    jobId: jobIdSchema.optional(),
    /** At most 50 other dead letters of the same message, latest failure first. */
    others: z.array(
      z.object({
        id: z.string(),
        reason: z.string(),
        attempts: z.int().min(0),
        failedAt: z.iso.datetime(),
        retriedAt: z.iso.datetime().optional(),
        discardedAt: z.iso.datetime().optional(),
      }),
    ),
  })
  .meta({ id: 'DeadLetterDetail' });
export type DeadLetterDetail = z.infer<typeof deadLetterDetailSchema>;

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

/** Body of a request to discard a dead letter. */
export const discardDeadLetterRequestSchema = z
  .strictObject({
    /** Why its message is not needed. It is stored with the dead letter. */
    reason: z.string().trim().min(1).max(1_000).optional(),
  })
  .meta({ id: 'DiscardDeadLetterRequest' });
export type DiscardDeadLetterRequest = z.infer<typeof discardDeadLetterRequestSchema>;

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
