import { z } from 'zod';

/** When the orchestrator submits jobs of an agent by itself. Each job gets one batch of open requirements of the cache. */
export const startWhenSchema = z.strictObject({
  /** Starts when requirements in the cache are open: written, and neither claimed nor ended. */
  cache: z.literal('open'),
  /** Number of requirements per job. Fewer remain for the last job when every job that wrote them has ended. */
  batch: z.int().min(1).max(5_000).default(50),
  /** Maximum number of these jobs per tenant that have not ended. */
  perTenant: z.int().min(1).max(100).default(1),
});
export type StartWhen = z.infer<typeof startWhenSchema>;
