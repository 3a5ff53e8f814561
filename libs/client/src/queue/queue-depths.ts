import { z } from 'zod';

const count = z.int().min(0);
const perMinute = z.number().min(0);

export const queueDepthSchema = z
  .object({
    queue: z.string(),
    waiting: count,
    active: count,
    delayed: count,
    failed: count,
    /** Age of the oldest waiting message; missing if none is waiting. */
    longestWaitMs: count.optional(),
    /** Messages per minute that became due in the window. */
    arrivalsPerMinute: perMinute,
    /** Messages per minute whose work was completed or withdrawn in the window. */
    completionsPerMinute: perMinute,
    /** Seconds until no message waits if both rates stay as they are; missing if none is waiting, or if that will not happen. */
    drainSeconds: count.optional(),
    /** Whether messages wait and no more are completed than arrive, so that the queue never drains. */
    isGrowing: z.boolean(),
  })
  .meta({ id: 'QueueDepth' });
export type QueueDepth = z.infer<typeof queueDepthSchema>;

export const queueDepthsSchema = z
  .object({
    backend: z.enum(['redis', 'postgres']),
    /** End of the window of the rates, by the clock of the database. */
    measuredAt: z.iso.datetime(),
    /** Length of the window: the current minute so far, and the four before it. */
    windowSeconds: z.number().positive(),
    queues: z.array(queueDepthSchema),
    deadLetterCount: count,
  })
  .meta({ id: 'QueueDepths' });
export type QueueDepths = z.infer<typeof queueDepthsSchema>;
