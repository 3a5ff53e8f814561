import { jobIdSchema } from '../ids/ids.js';
import { z } from 'zod';
import { jobStatusSchema } from '../job-status.js';
import { documentSchema, SUBMIT_LIMITS } from './document.js';
import { repositoryRequestSchema } from '../repository/repository-request.js';
import { jsonParametersSchema } from './json-parameters.js';
import { submittedVerifiersSchema } from '../verification/verifier-definition.js';
import { wellFormedText } from './well-formed-text.js';

/** Limits of one job. A missing limit is taken from the agent. */
export const submitBudgetsSchema = z
  .strictObject({
    maxCostUsd: z.number().positive().max(1_000_000_000).optional(),
    /** Maximum sum of input and output tokens. */
    maxTokens: z.int().positive().optional(),
    maxPhases: z.int().positive().optional(),
    /** Maximum wall time in milliseconds, up to ten years. */
    maxWallTimeMs: z.int().positive().max(315_360_000_000).optional(),
  })
  .meta({ id: 'Budgets' });

/** Limits of the turns of one job: the work between two inputs of a person. A missing limit is taken from the agent, and the lower one counts. */
const submitTurnsSchema = z
  .strictObject({
    max: z.int().min(1).max(10_000).optional(),
    /** Milliseconds inside model calls and tools per turn. */
    workMs: z.int().min(1).max(86_400_000).optional(),
    /** Cost of a turn in USD after which no further call is made. */
    softCostUsd: z.number().positive().max(1_000_000_000).optional(),
  })
  .meta({ id: 'TurnLimits' });

/** What the person of a job may spend in a day on all jobs with such a budget, before this job makes no further call. */
const submitDailyBudgetSchema = z
  .strictObject({ costUsd: z.number().positive().max(1_000_000_000) })
  .meta({ id: 'DailyBudget' });

/** An idempotency key. Printable ASCII, because it is also sent as an HTTP header. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'expected 1 to 200 printable ASCII characters without spaces');

const labelRecord = z.record(
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/, 'expected letters, digits and . _ / -, at most 63'),
  wellFormedText().max(200),
);

/** Labels of a job. Their number is checked before each key is validated. */
export const labelsSchema = z
  .preprocess((labels, context) => {
    if (typeof labels !== 'object' || labels === null || Object.keys(labels).length <= SUBMIT_LIMITS.labels)
      return labels;
    context.addIssue({ code: 'custom', message: `expected at most ${SUBMIT_LIMITS.labels} labels` });
    return z.NEVER;
  }, labelRecord)
  // The type of a preprocessed input is unknown; this function returns labels unchanged.
  .meta({ id: 'Labels' }) as unknown as typeof labelRecord;

/**
 * Request for a job: the body of `POST /v1/jobs` and the payload of a message on the `jobs` queue. Unknown keys are rejected, so that a
 * misspelt budget is not ignored.
 */
export const submitRequestSchema = z
  .strictObject({
    /** Name of an agent that the server has loaded, such as `creator`. */
    agent: wellFormedText().min(1).max(100),
    /** Instructions in addition to the agent's own. */
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
              message: `expected unique names, found ${JSON.stringify(name)} twice`,
            });
          seen.add(name);
        });
      })
      .optional(),
    /** Repository on which the job works. Its files are in the folder `repository` of the workspace. */
    repository: repositoryRequestSchema.optional(),
    budgets: submitBudgetsSchema.optional(),
    turns: submitTurnsSchema.optional(),
    dailyBudget: submitDailyBudgetSchema.optional(),
    /** Verifiers that replace those of the agent, or that are added to them, by name. */
    verifiers: submittedVerifiersSchema.optional(),
    /** Values that the agent's instructions can refer to. */
    parameters: jsonParametersSchema.optional(),
    /** A second request with the same key and content returns the first job; with different content it is refused. */
    idempotencyKey: idempotencyKeySchema.optional(),
    labels: labelsSchema.optional(),
    /** Whether to store the content of the job encrypted, with its own key, which can be erased. */
    encrypt: z.boolean().optional(),
    /** Priority from 0 (default, highest) to 100, as in BullMQ. */
    priority: z.int().min(0).max(100).optional(),
    /** Tenant of the job. Active phases are limited per tenant, and tenants take turns. Default: `default`. */
    tenant: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'expected letters, digits and . _ -, at most 63')
      .optional(),
  })
  .meta({ id: 'SubmitRequest' });

/** A request as the caller writes it, before parsing. */
export type SubmitRequest = z.input<typeof submitRequestSchema>;
/** A parsed request: the payload of a message on the `jobs` queue. */
export type ParsedSubmitRequest = z.output<typeof submitRequestSchema>;

export const submitResponseSchema = z
  .object({
    jobId: jobIdSchema,
    status: jobStatusSchema,
    /** False if an earlier request with the same idempotency key created this job. */
    created: z.boolean(),
  })
  .meta({ id: 'SubmitResponse' });
export type SubmitResponse = z.infer<typeof submitResponseSchema>;
