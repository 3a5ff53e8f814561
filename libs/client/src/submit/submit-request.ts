import { z } from 'zod';
import { jobStatusSchema } from '../job/job-status.js';
import { documentSchema, SUBMIT_LIMITS } from './document.js';
import { jsonObjectSchema } from './json-parameters.js';
import { wellFormedText } from './well-formed-text.js';

/** Bounds of one job. What is left out is taken from the agent. */
export const budgetsSchema = z
  .strictObject({
    maxCostUsd: z.number().positive().max(1_000_000_000).optional(),
    /** Input and output tokens together. */
    maxTokens: z.int().positive().optional(),
    maxPhases: z.int().positive().optional(),
    /** At most ten years. */
    maxWallTimeMs: z.int().positive().max(315_360_000_000).optional(),
  })
  .meta({ id: 'Budgets' });
export type SubmitBudgets = z.infer<typeof budgetsSchema>;

/** Printable ASCII, because it also travels as an HTTP header. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'expected 1 to 200 printable ASCII characters without spaces');

const labelRecord = z.record(
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/, 'expected letters, digits and . _ / -, at most 63'),
  wellFormedText().max(200),
);

/** Counted before any key is looked at. */
export const labelsSchema = z
  .preprocess((labels, context) => {
    if (typeof labels !== 'object' || labels === null || Object.keys(labels).length <= SUBMIT_LIMITS.labels)
      return labels;
    context.addIssue({ code: 'custom', message: `expected at most ${SUBMIT_LIMITS.labels} labels` });
    return z.NEVER;
  }, labelRecord)
  .meta({ id: 'Labels' }) as unknown as typeof labelRecord;

/**
 * What asks for a job: the body of `POST /v1/jobs` and the payload of a message on the `jobs` queue. Unknown keys are
 * refused, so that a misspelt budget is noticed before it is overspent.
 */
export const submitRequestSchema = z
  .strictObject({
    /** The name of an agent that the server knows, such as `creator`. */
    agent: wellFormedText().min(1).max(100),
    /** Added to the agent's own instructions. */
    instructions: wellFormedText().max(SUBMIT_LIMITS.instructionsCharacters).optional(),
    documents: z
      .array(documentSchema)
      .max(SUBMIT_LIMITS.documents)
      .superRefine((documents, context) => {
        const seen = new Set<string>();
        documents.forEach(({ name }, index) => {
          if (seen.has(name))
            context.addIssue({
              code: 'custom',
              path: [index, 'name'],
              message: `expected different names, found ${JSON.stringify(name)} twice`,
            });
          seen.add(name);
        });
      })
      .optional(),
    budgets: budgetsSchema.optional(),
    /** Values that the agent's instructions may refer to. */
    parameters: jsonObjectSchema.optional(),
    /** A second request with the same key and content gets the first one's job; with other content it is refused. */
    idempotencyKey: idempotencyKeySchema.optional(),
    labels: labelsSchema.optional(),
    /** Store all that the job holds encrypted, under a key of its own that can be erased. */
    encrypt: z.boolean().optional(),
    /** 0 (the default) to 100; lower is served earlier, as in BullMQ. */
    priority: z.int().min(0).max(100).optional(),
    /** Whose job it is: phases at once are bounded by tenant, and tenants take turns. `default` where it is missing. */
    tenant: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'expected letters, digits and . _ -, at most 63')
      .optional(),
  })
  .meta({ id: 'SubmitRequest' });

/** As sent: what the caller writes. */
export type SubmitRequest = z.input<typeof submitRequestSchema>;

export const submitResponseSchema = z
  .object({
    jobId: z.uuid(),
    status: jobStatusSchema,
    /** False when the idempotency key was known and this is the job that it made. */
    created: z.boolean(),
  })
  .meta({ id: 'SubmitResponse' });
export type SubmitResponse = z.infer<typeof submitResponseSchema>;
