import { z } from 'zod';

const count = z.int().min(0);

/** What the job may still use when a phase starts. An absent member means no limit. */
export const allowanceSchema = z.object({
  costMicroUsd: count.optional(),
  tokens: count.optional(),
  deadlineAt: z.iso.datetime().optional(),
});
export type Allowance = z.infer<typeof allowanceSchema>;
