import { z } from 'zod';

const count = z.int().min(0);

/** An amount of money and time. */
export const amountSchema = z.object({ costMicroUsd: count, durationMs: count });
export type Amount = z.infer<typeof amountSchema>;
