import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';

/** Query of `GET /v1/queue-history`. */
export const queueHistoryQuerySchema = z
  .strictObject({
    /** Number of minutes before now. */
    minutes: queryInteger({ min: 1, max: 10_080 }).default(60),
  })
  .meta({ id: 'QueueHistoryQuery' });
export type QueueHistoryQuery = z.infer<typeof queueHistoryQuerySchema>;

const count = z.int().min(0);

/** Due work of a queue in one minute, computed from the event log. Includes work that a worker had already taken. */
const queueMinuteSchema = z
  .object({
    queue: z.string(),
    minute: z.iso.datetime(),
    /** Work that became due in this minute. */
    added: count,
    /** Work that was completed or withdrawn in this minute. */
    removed: count,
    /** Due work at the end of the minute. */
    depth: z.int(),
  })
  .meta({ id: 'QueueMinute' });
export type QueueMinute = z.infer<typeof queueMinuteSchema>;

/** Minutes without changes are omitted. The first item of each queue is the work that was due before the period. */
export const queueHistorySchema = z.object({ items: z.array(queueMinuteSchema) }).meta({ id: 'QueueHistory' });
export type QueueHistory = z.infer<typeof queueHistorySchema>;
