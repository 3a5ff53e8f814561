import { forkModes, jobIdSchema, unrecordedSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { agentDefinitionSchema, budgetsSchema } from '../agent/agent-definition.js';
import { stateAgentsSchema } from '../agent/state-agents.js';
import { phaseLimitsSchema } from '../agent/agent-settings.js';
import { spendingSchema } from '../budget/spending.js';
import { defineEvent } from '../event/define-event.js';
import { treeSchema } from '../phase/file-events.js';
import { phaseKinds, workflowSchema } from '../workflow/workflow.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

/** Phase limits without defaults, all optional: a limit that is absent stays unchanged. */
export const limitChangesSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(phaseLimitsSchema.shape).map(([name, limit]) => [name, limit.unwrap().optional()]),
  ) as unknown as Record<keyof typeof phaseLimitsSchema.shape, z.ZodOptional<z.ZodInt>>,
);
export type LimitChanges = z.infer<typeof limitChangesSchema>;

const modelChangesSchema = z.strictObject({ strategic: z.string().optional(), tactical: z.string().optional() });
export type ModelChanges = z.infer<typeof modelChangesSchema>;

export const jobForked = defineEvent(
  'JobForked',
  11,
  'A job was forked from a point of another job. Earlier events are read from the stream of that job.',
  z.object({
    jobId: jobIdSchema,
    actor: z.string(),
    /** Hash of the request as sent. It detects an idempotency key that is reused for a different request. */
    requestHash: sha256,
    /** The last event of the parent's job stream that the fork shares. Its hash covers all events before it. */
    parent: z.object({ jobId: jobIdSchema, version: z.int().min(1), hash: sha256 }),
    /** Log position of the last shared event, in any stream of the parent. */
    position: z.int().min(1),
    mode: z.enum(forkModes),
    /** What follows where the recording has no result of a call, by tool; only in a fork that does not run live. */
    unrecorded: unrecordedSchema.optional(),
    /** Definition of the fork, if it differs from the parent's. */
    definition: z
      .object({
        agent: agentDefinitionSchema,
        agentHash: sha256,
        workflow: workflowSchema,
        workflowHash: sha256,
        agents: stateAgentsSchema.optional(),
      })
      .optional(),
    /** Instructions of the agents of that definition, with the task of the job, if they differ from those that the parent began with. */
    instructions: treeSchema.optional(),
    models: modelChangesSchema.optional(),
    limits: limitChangesSchema.optional(),
    /** Budgets that replace the parent's. */
    budgets: budgetsSchema.optional(),
    labels: z.record(z.string(), z.string()),
    /** Deadline of the fork; wall time starts from zero. */
    deadlineAt: z.iso.datetime().optional(),
    /** State of the parent at that point, for projections, which do not read the parent. */
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
