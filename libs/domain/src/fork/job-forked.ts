import { z } from 'zod';
import { agentDefinitionSchema, budgetsSchema, phaseLimitsSchema } from '../agent/agent-definition.js';
import { spendingSchema } from '../budget/spending.js';
import { defineEvent } from '../event/define-event.js';
import { phaseKinds, workflowSchema } from '../workflow/workflow.js';
import { forkModes } from './fork-mode.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

/** Limits where each may be missing. The defaults of the definition must not fill what was not given. */
export const limitChangesSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(phaseLimitsSchema.shape).map(([name, limit]) => [name, limit.unwrap().optional()]),
  ) as unknown as Record<keyof typeof phaseLimitsSchema.shape, z.ZodOptional<z.ZodInt>>,
);
export type LimitChanges = z.infer<typeof limitChangesSchema>;

export const modelChangesSchema = z.strictObject({ strategic: z.string().optional(), tactical: z.string().optional() });
export type ModelChanges = z.infer<typeof modelChangesSchema>;

export const jobForked = defineEvent(
  'JobForked',
  1,
  'Somebody asked for a job that goes on from a point of another one. What was before is read from the other stream.',
  z.object({
    jobId: z.uuid(),
    actor: z.string(),
    /** Of the request as sent, so that a repeated idempotency key with another request is noticed. */
    requestHash: sha256,
    /** The last event of the parent's own stream that the fork shares; the hash proves all before it. */
    parent: z.object({ jobId: z.uuid(), version: z.int().min(1), hash: sha256 }),
    /** Position in the log of the last event that the fork shares, of whichever stream of the parent. */
    at: z.int().min(1),
    mode: z.enum(forkModes),
    /** What the fork runs by, where that is another definition than the parent's. */
    definition: z
      .object({ agent: agentDefinitionSchema, agentHash: sha256, workflow: workflowSchema, workflowHash: sha256 })
      .optional(),
    models: modelChangesSchema.optional(),
    limits: limitChangesSchema.optional(),
    /** In place of the parent's. */
    budgets: budgetsSchema.optional(),
    labels: z.record(z.string(), z.string()),
    /** Counted anew from the fork on. */
    deadlineAt: z.iso.datetime().optional(),
    /** How the parent stood there: for read models, which do not read the parent. */
    carried: z.object({
      agent: z.string(),
      tenant: z.string(),
      spending: spendingSchema,
      phase: z
        .object({
          number: z.int().min(1),
          kind: z.enum(phaseKinds),
          state: z.string(),
          name: z.string(),
          todosDone: count,
          todosTotal: count,
        })
        .optional(),
    }),
  }),
);
