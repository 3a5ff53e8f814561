import { z } from 'zod';
import { agentDefinitionSchema, budgetsSchema } from '../agent/agent-definition.js';
import { spendingSchema, unsettledSchema } from '../budget/spending.js';
import { defineEvent, type EventOf } from '../event/define-event.js';
import { jobForked } from '../fork/job-forked.js';
import { jsonObjectSchema } from '../json.js';
import { allowanceSchema, completionSchema, treeSchema } from '../phase/phase-events.js';
import { obligationSchema } from '../todo/obligation.js';
import { rewindReasonSchema } from '../todo/todo-events.js';
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
    /** Whose job it is: phases at once are bounded by tenant, and tenants take turns. */
    tenant: z.string().default('default'),
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
    unsettled: unsettledSchema.optional(),
    completion: completionSchema.optional(),
    /** Why its list was given up, where it was. */
    rewound: rewindReasonSchema.optional(),
    /** The todos that it left open. */
    left: z.array(obligationSchema).min(1).optional(),
  }),
);

export const jobPaused = defineEvent(
  'JobPaused',
  1,
  'Somebody asked the job to take no further step.',
  z.object({ actor: z.string(), reason: z.string(), at: z.iso.datetime() }),
);

export const jobResumed = defineEvent(
  'JobResumed',
  1,
  'Somebody asked the job to go on after a pause.',
  z.object({
    actor: z.string(),
    reason: z.string(),
    /** The deadline, moved by the length of the pause. */
    deadlineAt: z.iso.datetime().optional(),
  }),
);

export const jobSteered = defineEvent(
  'JobSteered',
  1,
  'Somebody said something to the agent.',
  z.object({
    actor: z.string(),
    message: z.string(),
    /** The phase that hears it; absent when the next one does. */
    phase: z.int().min(1).optional(),
  }),
);

export const jobRetried = defineEvent(
  'JobRetried',
  1,
  'Somebody asked a failed job to go on from the phase that failed, with the todos and files it had.',
  z.object({
    actor: z.string(),
    reason: z.string(),
    /** In place of the budgets so far; wall time counts anew. */
    budgets: budgetsSchema.optional(),
  }),
);

export const jobDefinitionChanged = defineEvent(
  'JobDefinitionChanged',
  1,
  'Somebody asked the job to go on by another definition; it does from the next phase.',
  z.object({
    actor: z.string(),
    agent: agentDefinitionSchema,
    agentHash: sha256,
    workflow: workflowSchema,
    workflowHash: sha256,
  }),
);

export const timerKinds = ['deadline', 'backoff', 'person'] as const;

export const timerSet = defineEvent(
  'TimerSet',
  1,
  'The job is to be looked at when the time has come.',
  z.object({ timer: z.string(), kind: z.enum(timerKinds), dueAt: z.iso.datetime() }),
);

export const timerFired = defineEvent(
  'TimerFired',
  1,
  'The time of a timer has come, and what it was set for was done.',
  z.object({ timer: z.string() }),
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

export const jobErased = defineEvent(
  'JobErased',
  1,
  'The key of a sealed job was destroyed, in the same commit: what the job held can never be read again.',
  z.object({ actor: z.string(), reason: z.string(), at: z.iso.datetime() }),
);

export const jobEventDefinitions = [
  jobSubmitted,
  jobForked,
  phaseDispatched,
  phaseEnded,
  jobPaused,
  jobResumed,
  jobSteered,
  jobRetried,
  jobDefinitionChanged,
  timerSet,
  timerFired,
  jobCancelRequested,
  jobCompleted,
  jobFailed,
  jobCancelled,
  jobErased,
] as const;

export type JobEvent = EventOf<(typeof jobEventDefinitions)[number]>;
export type JobEventType = JobEvent['type'];
export type JobEventData<Type extends JobEventType> = Extract<JobEvent, { type: Type }>['data'];

/**
 * Types after which a job's stream takes nothing more, except that `JobRetried` opens a failed job again, and that
 * `JobErased` is the very last word on a sealed one.
 */
export const jobEndTypes = ['JobCompleted', 'JobFailed', 'JobCancelled'] as const satisfies readonly JobEventType[];
