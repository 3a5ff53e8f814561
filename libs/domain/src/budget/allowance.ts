import { z } from 'zod';
import { turnAllowanceSchema } from './turn.js';

const count = z.int().min(0);

/** What the job may still use when a phase starts. An absent member means no limit. */
export const allowanceSchema = z.object({
  costMicroUsd: count.optional(),
  tokens: count.optional(),
  deadlineAt: z.iso.datetime().optional(),
  turn: turnAllowanceSchema.optional(),
  /** Whose budget for a day the calls are reserved in, the zone of its days, and its size. */
  daily: z.object({ tenant: z.string(), actor: z.string(), zone: z.string(), costMicroUsd: count }).optional(),
});
export type Allowance = z.infer<typeof allowanceSchema>;
