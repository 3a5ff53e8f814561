import { z } from 'zod';
import {
  jobStatusSchema,
  jsonParametersSchema,
  submitBudgetsSchema,
  forkModes,
  idempotencyKeySchema,
  labelsSchema,
  wellFormedText,
  jobIdSchema,
  unrecordedSchema,
} from '@phaseline/contracts';

/** A response that replaces the model's. */
export const editedResponseInputSchema = z
  .strictObject({
    content: wellFormedText().max(1_000_000).default(''),
    calls: z
      .array(z.strictObject({ name: wellFormedText().min(1).max(200), arguments: jsonParametersSchema.default({}) }))
      .max(128)
      .default([]),
  })
  .meta({ id: 'EditedResponse' });
export type EditedResponseInput = z.input<typeof editedResponseInputSchema>;

/** Body of `POST /v1/jobs/:jobId/fork`. Missing values are taken from the parent. */
export const forkRequestSchema = z
  .strictObject({
    /** Position in the event log. The fork continues from the last complete commit at or before it. */
    position: z.int().min(1),
    mode: z.enum(forkModes).default('live'),
    /** What follows where the recording has no result of a call, by tool: `error` (default), `fail`, `nearest` or `run`; `*` is for all other tools. */
    unrecorded: unrecordedSchema.optional(),
    /** Name of another agent. Its workflow is used. */
    agent: wellFormedText().min(1).max(100).optional(),
    /** Model profiles per kind of phase. */
    models: z
      .strictObject({
        strategic: wellFormedText().min(1).max(100).optional(),
        tactical: wellFormedText().min(1).max(100).optional(),
      })
      .optional(),
    /** Limits of phases, named as in agent definitions, for example `steps`. */
    limits: z.record(z.string(), z.int().min(0)).optional(),
    budgets: submitBudgetsSchema.optional(),
    labels: labelsSchema.optional(),
    /** Replaces the next model response of the phase that runs at that position. */
    response: editedResponseInputSchema.optional(),
    /** Repeated requests with the same key and content return the same fork. */
    idempotencyKey: idempotencyKeySchema.optional(),
  })
  .meta({ id: 'ForkRequest' });
export type ForkRequest = z.output<typeof forkRequestSchema>;
export type ForkInput = z.input<typeof forkRequestSchema>;

export const forkResponseSchema = z
  .object({
    jobId: jobIdSchema,
    parentId: jobIdSchema,
    /** Position of the last event that the fork shares with its parent. */
    position: z.int().min(1),
    mode: z.enum(forkModes),
    /** False if an earlier request with the same idempotency key created this fork. */
    created: z.boolean(),
    status: jobStatusSchema,
  })
  .meta({ id: 'ForkResponse' });
export type ForkResponse = z.infer<typeof forkResponseSchema>;
