import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';

/** Query of `GET /v1/jobs/:jobId/follow-ons`. */
export const followOnsQuerySchema = z.strictObject({
  /** Name of an agent that starts when requirements are open. */
  agent: z.string().min(1).max(100),
});
export type FollowOnsQuery = z.infer<typeof followOnsQuerySchema>;

/** The jobs of an agent that were started for requirements that a job wrote to the cache. */
export const followOnListSchema = z
  .object({
    items: z.array(
      z
        .object({
          jobId: jobIdSchema,
          agent: z.string(),
          /** Number of the batch, from 1. */
          batch: z.int().min(1),
          /** Number of requirements in the batch, also those of other jobs. */
          requirements: z.int().min(1),
          /** Number of these that the job wrote. */
          ofJob: z.int().min(1),
        })
        .meta({ id: 'FollowOn' }),
    ),
    /** Number of requirements of the job that are open and in no batch yet, or in one whose job is about to be submitted. */
    waiting: z.int().min(0),
  })
  .meta({ id: 'FollowOnList' });
export type FollowOnList = z.infer<typeof followOnListSchema>;
