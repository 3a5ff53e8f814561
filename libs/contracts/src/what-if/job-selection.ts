import { z } from 'zod';
import { jobIdSchema } from '../ids/ids.js';

/** Members of a request that choose recorded jobs. Without a job: the newest ones. */
export const jobSelection = {
  job: jobIdSchema.optional(),
  agent: z.string().optional(),
  tenant: z.string().optional(),
  /** Jobs that were submitted at or after this time. ISO 8601. */
  since: z.iso.datetime().optional(),
  /** Maximum number of jobs. */
  limit: z.int().min(1),
};

export type JobSelection = z.infer<z.ZodObject<typeof jobSelection>>;

/** The first message of the program: how many jobs it will read. */
export const startedMessageSchema = z.object({
  kind: z.literal('started'),
  release: z.string(),
  jobs: z.int().min(0),
});
