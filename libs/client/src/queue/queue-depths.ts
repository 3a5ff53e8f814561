import { z } from 'zod';

const count = z.int().min(0);

export const queueDepthSchema = z
  .object({
    queue: z.string(),
    waiting: count,
    active: count,
    delayed: count,
    failed: count,
    /** Age of the oldest waiting message; missing if none is waiting. */
    longestWaitMs: count.optional(),
  })
  .meta({ id: 'QueueDepth' });
export type QueueDepth = z.infer<typeof queueDepthSchema>;

export const queueDepthsSchema = z
  .object({ backend: z.enum(['redis', 'postgres']), queues: z.array(queueDepthSchema), deadLetterCount: count })
  .meta({ id: 'QueueDepths' });
export type QueueDepths = z.infer<typeof queueDepthsSchema>;
