import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';

/** The query of `GET /v1/queue-history`. */
export const queueHistoryQuerySchema = z
  .strictObject({
    /** The last so many minutes. */
    minutes: queryInteger({ min: 1, max: 10_080 }).default(60),
  })
  .meta({ id: 'QueueHistoryQuery' });
export type QueueHistoryQuery = z.infer<typeof queueHistoryQuerySchema>;

const count = z.int().min(0);

/** What was due on a queue in a minute, as the log tells it: taken or not, the work was there to be done. */
export const queueMinuteSchema = z
  .object({
    queue: z.string(),
    minute: z.iso.datetime(),
    /** What became due in it, and what ceased to be. */
    came: count,
    went: count,
    /** What was due at its end. */
    depth: z.int(),
  })
  .meta({ id: 'QueueMinute' });
export type QueueMinute = z.infer<typeof queueMinuteSchema>;

/** Minutes in which nothing changed are left out; each queue begins with what was due before the first one. */
export const queueHistorySchema = z.object({ items: z.array(queueMinuteSchema) }).meta({ id: 'QueueHistory' });
export type QueueHistory = z.infer<typeof queueHistorySchema>;
