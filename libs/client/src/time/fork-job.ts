import { z } from 'zod';
import { jobStatusSchema } from '../job/job-status.js';
import { jsonObjectSchema } from '../submit/json-parameters.js';
import { budgetsSchema, idempotencyKeySchema, labelsSchema } from '../submit/submit-request.js';
import { wellFormedText } from '../submit/well-formed-text.js';

export const forkModes = ['live', 'live-model', 'recorded'] as const;
export type ForkMode = (typeof forkModes)[number];

/** An answer in place of the model's. */
export const editedAnswerSchema = z
  .strictObject({
    content: wellFormedText().max(1_000_000).default(''),
    calls: z
      .array(z.strictObject({ name: wellFormedText().min(1).max(200), arguments: jsonObjectSchema.default({}) }))
      .max(128)
      .default([]),
  })
  .meta({ id: 'EditedAnswer' });
export type EditedAnswer = z.input<typeof editedAnswerSchema>;

/** The body of `POST /v1/jobs/:jobId/fork`. Whatever is missing stays as the parent has it. */
export const forkRequestSchema = z
  .strictObject({
    /** Position in the log. The fork goes on from the last whole commit at or before it. */
    at: z.int().min(1),
    mode: z.enum(forkModes).default('live'),
    /** Another agent, by name, with its workflow. */
    agent: wellFormedText().min(1).max(100).optional(),
    /** Model profiles by kind of phase. */
    models: z
      .strictObject({
        strategic: wellFormedText().min(1).max(100).optional(),
        tactical: wellFormedText().min(1).max(100).optional(),
      })
      .optional(),
    /** Limits of phases, by the names that agent definitions use, such as `steps`. */
    limits: z.record(z.string(), z.int().min(0)).optional(),
    budgets: budgetsSchema.optional(),
    labels: labelsSchema.optional(),
    /** Taken in place of the next answer of the phase that runs at that position. */
    answer: editedAnswerSchema.optional(),
    /** Who asks, for the audit. */
    actor: wellFormedText().min(1).max(200).optional(),
    /** The same key with the same request gives the same fork, however often it is sent. */
    idempotencyKey: idempotencyKeySchema.optional(),
  })
  .meta({ id: 'ForkRequest' });
export type ForkRequest = z.output<typeof forkRequestSchema>;
export type ForkInput = z.input<typeof forkRequestSchema>;

export const forkResponseSchema = z
  .object({
    jobId: z.uuid(),
    parentId: z.uuid(),
    /** Position of the last event that both share. */
    at: z.int().min(1),
    mode: z.enum(forkModes),
    /** False when the idempotency key had made it before. */
    created: z.boolean(),
    status: jobStatusSchema,
  })
  .meta({ id: 'ForkResponse' });
export type ForkResponse = z.infer<typeof forkResponseSchema>;
