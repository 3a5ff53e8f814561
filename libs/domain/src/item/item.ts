import { jsonObjectSchema } from '@phaseline/basics';
import { runNameSchema } from '@phaseline/checks';
import { verifierQuerySchema, verifierRequestSchema } from '@phaseline/contracts';
import { z } from 'zod';

/** Name of the tool that hands in the items of a loop. */
export const SUBMIT_FEATURES = 'submit_features';

/** Maximum number of items of a loop, and of proofs of one item. */
export const MAX_ITEMS = 200;
const MAX_PROOFS = 10;
const MAX_CASES = 50;

const text = (max: number) => z.string().trim().min(1).max(max);

/**
 * What proves that an item is done: cases of a verifier that fail before the work on it and pass after. Cases are named, or made of requests
 * or queries, which replace those of the verifier.
 */
const proofSchema = z
  .strictObject({
    verifier: runNameSchema.describe('Name of the verifier that runs the cases'),
    tests: z
      .array(text(500))
      .min(1)
      .max(MAX_CASES)
      .optional()
      .describe('Names of tests, as the report of the verifier has them'),
    requests: z
      .array(verifierRequestSchema)
      .min(1)
      .max(MAX_CASES)
      .optional()
      .describe('Requests with their expected answers'),
    queries: z.array(verifierQuerySchema).min(1).max(MAX_CASES).optional().describe('Queries that return rows'),
  })
  .refine(
    ({ tests, requests, queries }) => [tests, requests, queries].filter((one) => one !== undefined).length === 1,
    "expected one of 'tests', 'requests' and 'queries'",
  );
export type Proof = z.infer<typeof proofSchema>;

/** One thing to do of a loop, such as a feature, as the agent that plans hands it in. */
export const itemSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes')
    .describe('Short name, used in file names'),
  description: text(2_000).describe('What it is to do, so that a person can try it'),
  ui: z
    .boolean()
    .default(false)
    .describe('Whether people see it in a browser; its proof then needs a verifier of the kind browser'),
  checks: z.array(proofSchema).min(1).max(MAX_PROOFS).describe('What proves it'),
});
export type Item = z.infer<typeof itemSchema>;

/**
 * An item in an event. Its members were checked when it was handed in. Requests and queries are kept as they are: texts of an erased job are
 * placeholders, which are no URLs.
 */
export const storedItemSchema = z.object({
  id: z.string(),
  description: z.string(),
  ui: z.boolean(),
  checks: z.array(
    z.object({
      verifier: z.string(),
      tests: z.array(z.string()).optional(),
      requests: z.array(jsonObjectSchema).optional(),
      queries: z.array(jsonObjectSchema).optional(),
    }),
  ),
});
export type StoredItem = z.infer<typeof storedItemSchema>;

export const itemStatuses = ['pending', 'implemented', 'tested', 'blocked'] as const;

/** An item in the start of the phase that works on it. */
export const phaseItemSchema = storedItemSchema.extend({
  status: z.enum(itemStatuses),
  attempts: z.int().min(0),
  /** The phase with which the work on it began. */
  began: z.int().min(1).optional(),
  changedIn: z.int().min(1).optional(),
  /** Why the last attempt failed. */
  reason: z.string().optional(),
});
