import { z } from 'zod';
import { agentDefinitionSchema, budgetsSchema } from '../agent/agent-definition.js';
import { spendingSchema } from '../budget/spending.js';
import { defineEvent, type EventOf } from '../event/define-event.js';
import { jsonObjectSchema } from '../json.js';
import { allowanceSchema, completionSchema, treeSchema } from '../phase/phase-events.js';
import { todoSchema } from '../todo/todo.js';
import { phaseKinds, workflowSchema } from '../workflow/workflow.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const failureSchema = z.object({ code: z.string(), message: z.string() });
export type Failure = z.infer<typeof failureSchema>;

export const jobSubmitted = defineEvent(
  'JobSubmitted',
  1,
  'Somebody asked for a job. The definitions it will run by are part of the fact.',
  z.object({
    jobId: z.uuid(),
    actor: z.string(),
    /** Of the request as sent, so that a repeated idempotency key with another request is noticed. */
    requestHash: sha256,
    agent: agentDefinitionSchema,
    agentHash: sha256,
    workflow: workflowSchema,
    workflowHash: sha256,
    /** `instructions.md` and the documents; their bytes are blobs. */
    tree: treeSchema,
    budgets: budgetsSchema,
    parameters: jsonObjectSchema,
    labels: z.record(z.string(), z.string()),
    priority: z.int().min(0),
  }),
);

export const phaseDispatched = defineEvent(
  'PhaseDispatched',
  1,
  'The next phase was decided; its own stream begins in the same commit.',
  z.object({
    phase: z.int().min(1),
    attempt: z.int().min(1),
    state: z.string(),
    kind: z.enum(phaseKinds),
    name: z.string(),
    todos: z.array(todoSchema),
    allowance: allowanceSchema,
  }),
);

export const phaseEnded = defineEvent(
  'PhaseEnded',
  1,
  'The outcome of a phase, as the job takes it.',
  z.object({
    phase: z.int().min(1),
    result: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('completed'), outcome: z.string() }),
      z.object({ kind: z.literal('failed'), failure: failureSchema, retryable: z.boolean() }),
      z.object({ kind: z.literal('cancelled') }),
    ]),
    spending: spendingSchema,
    completion: completionSchema.optional(),
  }),
);

export const jobCancelRequested = defineEvent(
  'JobCancelRequested',
  1,
  'Somebody asked for the job to end.',
  z.object({
    actor: z.string(),
    reason: z.string(),
  }),
);

export const jobCompleted = defineEvent('JobCompleted', 1, 'The job ended with its deliverables.', completionSchema);

export const jobFailed = defineEvent('JobFailed', 1, 'The job ended without its deliverables.', failureSchema);

export const jobCancelled = defineEvent(
  'JobCancelled',
  1,
  'The job ended because somebody asked for it.',
  z.object({ actor: z.string(), reason: z.string() }),
);

export const jobEventDefinitions = [
  jobSubmitted,
  phaseDispatched,
  phaseEnded,
  jobCancelRequested,
  jobCompleted,
  jobFailed,
  jobCancelled,
] as const;

export type JobEvent = EventOf<(typeof jobEventDefinitions)[number]>;
export type JobEventType = JobEvent['type'];
export type JobEventData<Type extends JobEventType> = Extract<JobEvent, { type: Type }>['data'];

/** Types after which a job's stream takes nothing more. */
export const jobEndTypes = ['JobCompleted', 'JobFailed', 'JobCancelled'] as const satisfies readonly JobEventType[];
