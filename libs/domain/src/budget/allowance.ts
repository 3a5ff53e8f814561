import { z } from 'zod';
import { turnAllowanceSchema } from './turn.js';

const count = z.int().min(0);

/** What the job may still use when a phase starts. An absent member means no limit. */
export const allowanceSchema = z.object({
  costMicroUsd: count.optional(),
  tokens: count.optional(),
  deadlineAt: z.iso.datetime().optional(),
  turn: turnAllowanceSchema.optional(),
});
export type Allowance = z.infer<typeof allowanceSchema>;
