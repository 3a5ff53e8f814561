import { z } from 'zod';
import { jobIdSchema } from '../ids/ids.js';
import { jobSelection, startedMessageSchema } from './job-selection.js';

/** The settings of the context that a bill may suppose, named as in agent definitions. */
const contextChangesSchema = z.strictObject({
  keepResults: z.int().optional(),
  clearTokens: z.int().optional(),
  summariseTokens: z.int().optional(),
  todoList: z.enum(['after-system', 'last']).optional(),
});
export type ContextChanges = z.infer<typeof contextChangesSchema>;

const usdPerMillion = z.number().min(0);

/** Members of a request that say what a bill supposes. */
export const billSuppositions = {
  context: contextChangesSchema.optional(),
  /** Prices of another model. */
  prices: z
    .strictObject({
      inputUsdPerMillion: usdPerMillion,
      cachedInputUsdPerMillion: usdPerMillion.optional(),
      cacheWriteInputUsdPerMillion: usdPerMillion.optional(),
      outputUsdPerMillion: usdPerMillion,
    })
    .optional(),
};

/** Recorded jobs, and what their bill supposes. */
export const billRequestSchema = z.strictObject({ kind: z.literal('bill'), ...billSuppositions, ...jobSelection });

const count = z.int().min(0);
const billedCallsSchema = z.object({
  calls: count,
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
  costMicroUsd: count,
});
export type BilledCalls = z.infer<typeof billedCallsSchema>;

/** What a job cost, and what it would have cost. */
export const jobBillSchema = z.object({
  jobId: jobIdSchema,
  recorded: billedCallsSchema,
  changed: billedCallsSchema,
  /** Bounds of the changed cost in micro-USD if the other model counts tokens with another tokeniser; absent without other prices. */
  band: z.tuple([count, count]).optional(),
});
export type JobBill = z.infer<typeof jobBillSchema>;

/** What the program prints for a bill, one message per line. */
export const billMessageSchema = z.discriminatedUnion('kind', [
  startedMessageSchema,
  z.object({ kind: z.literal('billed'), bill: jobBillSchema }),
  z.object({ kind: z.literal('unbilled'), jobId: jobIdSchema, reason: z.string() }),
]);

export type BillRequest = z.infer<typeof billRequestSchema>;
export type BillMessage = z.infer<typeof billMessageSchema>;
