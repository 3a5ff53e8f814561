import { z } from 'zod';
import { agentDefinitionSchema, budgetsSchema } from '../agent/agent-definition.js';
import { stateAgentsSchema } from '../agent/state-agents.js';
import { storedSubmittedVerifiersSchema } from '../agent/stored-verifier.js';
import { turnLimitsSchema, turnSchema } from '../budget/turn.js';
import { spendingSchema, unconfirmedSchema } from '../budget/spending.js';
import { evidenceListSchema } from '../completion/evidence.js';
import { defineEvent, type EventOf } from '../event/define-event.js';
import { jobForked } from '../fork/job-forked.js';
import { jobGuardOverridden, jobGuardOverrideRevoked } from '../guard/guard-override-events.js';
import { jsonObjectSchema } from '@phaseline/basics';
import { jobIdSchema } from '@phaseline/contracts';
import { allowanceSchema } from '../budget/allowance.js';
import { contentName, fileEntrySchema, treeSchema } from '../phase/file-events.js';
import { completionSchema } from '../phase/completion.js';
import { repositoryEventDefinitions, requestedRepositorySchema } from '../repository/repository-events.js';
import { handoffEventDefinitions } from '../handoff/handoff-events.js';
import { itemEventDefinitions } from '../item/item-events.js';
import { obligationSchema } from '../todo/obligation.js';
import { rewindReasonSchema } from '../todo/todo-events.js';
import { todoSchema } from '../todo/todo.js';
import { phaseKinds, workflowSchema } from '../workflow/workflow.js';
import { delegatedBySchema, followOnSchema } from './job-origin.js';
import { retentionEventDefinitions } from './retention-events.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const failureSchema = z.object({ code: z.string(), message: z.string() });
export type Failure = z.infer<typeof failureSchema>;

const jobSubmitted = defineEvent(
  'JobSubmitted',
  10,
  'A job was submitted. The event contains the definitions under which the job runs.',
  z.object({
    jobId: jobIdSchema,
    actor: z.string(),
    /** Hash of the request as sent. It detects an idempotency key that is reused for a different request. */
    requestHash: sha256,
    agent: agentDefinitionSchema,
    agentHash: sha256,
    workflow: workflowSchema,
    workflowHash: sha256,
    agents: stateAgentsSchema.optional(),
    /** `instructions.md` and the documents. Their content is stored as blobs. */
    tree: treeSchema,
    /** The repository to import before the first phase. */
    repository: requestedRepositorySchema.optional(),
    /** Verifiers of the submission, which replace those of the agent or are added to them. */
    verifiers: storedSubmittedVerifiersSchema.optional(),
    budgets: budgetsSchema,
    /** Limits of turns and of a day that the submission gives; lower ones of the agent count. */
    turns: turnLimitsSchema.optional(),
    dailyBudget: z.object({ costUsd: z.number().positive() }).optional(),
    parameters: jsonObjectSchema,
    labels: z.record(z.string(), z.string()),
    priority: z.int().min(0),
    /** Tenant that owns the job. The number of concurrent phases is limited per tenant, and tenants take turns. */
    tenant: z.string().default('default'),
    /** Set for a job that the orchestrator submitted for a batch of the cache. */
    followOn: followOnSchema.optional(),
    /** Set for a child job. */
    delegatedBy: delegatedBySchema.optional(),
  }),
);

const phaseDispatched = defineEvent(
  'PhaseDispatched',
  3,
  'The next phase was dispatched. Its own stream begins in the same commit.',
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

const phaseEnded = defineEvent(
  'PhaseEnded',
  2,
  'A phase ended, with the outcome and spending that the job records for it.',
  z.object({
    phase: z.int().min(1),
    result: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('completed'), outcome: z.string() }),
      z.object({ kind: z.literal('failed'), failure: failureSchema, retryable: z.boolean() }),
      z.object({ kind: z.literal('cancelled') }),
    ]),
    spending: spendingSchema,
    unconfirmed: unconfirmedSchema.optional(),
    completion: completionSchema.optional(),
    /** Why the todo list was abandoned, if it was. */
    rewound: rewindReasonSchema.optional(),
    /** Todos that the phase left open. */
    openTodos: z.array(obligationSchema).min(1).optional(),
    /** The turn of the job, if its agent has limits of turns. */
    turn: turnSchema.optional(),
    /** Number of the oldest messages of people that the phase received and its model read; absent if it read all of them. */
    read: z.int().min(0).optional(),
  }),
);

const jobPaused = defineEvent(
  'JobPaused',
  1,
  'The job was paused: it takes no further step.',
  z.object({ actor: z.string(), reason: z.string(), pausedAt: z.iso.datetime() }),
);

const jobResumed = defineEvent(
  'JobResumed',
  1,
  'The job was resumed after a pause.',
  z.object({
    actor: z.string(),
    reason: z.string(),
    /** The deadline, moved by the length of the pause. */
    deadlineAt: z.iso.datetime().optional(),
  }),
);

const jobDeadlineMoved = defineEvent(
  'JobDeadlineMoved',
  1,
  'The deadline was moved by the time that the job waited for the answer to a question.',
  z.object({ phase: z.int().min(1), deadlineAt: z.iso.datetime() }),
);

const jobSteered = defineEvent(
  'JobSteered',
  1,
  'A person sent the agent a message.',
  z.object({
    actor: z.string(),
    message: z.string(),
    /** The phase that receives the message; absent when the next phase does. */
    phase: z.int().min(1).optional(),
  }),
);

const workspaceEdited = defineEvent(
  'WorkspaceEdited',
  1,
  'A person changed a file of the workspace. Without `file`, the file was deleted.',
  z.object({
    actor: z.string(),
    path: z.string(),
    file: fileEntrySchema.optional(),
    /** Hash of the content that was replaced or deleted; absent for a new file. */
    previousHash: contentName.optional(),
    reason: z.string().optional(),
    /** The phase that received the change; absent when the next phase does. */
    phase: z.int().min(1).optional(),
  }),
);

const jobRetried = defineEvent(
  'JobRetried',
  1,
  'A failed job was retried. It continues from the phase that failed, with the todos and files that phase had.',
  z.object({
    actor: z.string(),
    reason: z.string(),
    /** New budgets that replace the current ones. Wall time is counted from zero again. */
    budgets: budgetsSchema.optional(),
  }),
);

const jobDefinitionChanged = defineEvent(
  'JobDefinitionChanged',
  10,
  'The job was given another definition, which takes effect with the next phase.',
  z.object({
    actor: z.string(),
    agent: agentDefinitionSchema,
    agentHash: sha256,
    workflow: workflowSchema,
    workflowHash: sha256,
    agents: stateAgentsSchema.optional(),
  }),
);

const timerKinds = ['deadline', 'backoff', 'person', 'handoff'] as const;

const timerSet = defineEvent(
  'TimerSet',
  2,
  'A timer was set. The job is examined again when it is due.',
  z.object({ timer: z.string(), kind: z.enum(timerKinds), dueAt: z.iso.datetime() }),
);

const timerFired = defineEvent(
  'TimerFired',
  1,
  'A timer was due, and its action was carried out.',
  z.object({ timer: z.string() }),
);

const jobCancelRequested = defineEvent(
  'JobCancelRequested',
  1,
  'Cancellation of the job was requested.',
  z.object({
    actor: z.string(),
    reason: z.string(),
  }),
);

const jobCompleted = defineEvent(
  'JobCompleted',
  3,
  'The job was completed with its deliverables.',
  completionSchema.extend({
    evidence: evidenceListSchema,
    /** The file `output/completion.json`, which the system writes in this commit. */
    file: fileEntrySchema.extend({ path: z.string() }).optional(),
  }),
);

/** One of the things that a blocked job could not do. */
const blockedItemSchema = z.object({ id: z.string().optional(), reason: z.string() });
export type BlockedItem = z.infer<typeof blockedItemSchema>;

const jobFailed = defineEvent(
  'JobFailed',
  2,
  'The job ended without its deliverables: it failed, or `end` says how else it ended.',
  failureSchema.extend({
    /** `blocked`: the workflow ended the job because it cannot continue. `aborted`: a cap of the job ended it. */
    end: z.enum(['blocked', 'aborted']).optional(),
    /** What is blocked. */
    items: z.array(blockedItemSchema).min(1).optional(),
  }),
);

const jobCancelled = defineEvent(
  'JobCancelled',
  1,
  'The job was cancelled on request.',
  z.object({ actor: z.string(), reason: z.string() }),
);

const jobErased = defineEvent(
  'JobErased',
  1,
  'The key of an encrypted job was destroyed in the same commit. The content of the job can never be read again.',
  z.object({ actor: z.string(), reason: z.string(), erasedAt: z.iso.datetime() }),
);

export const jobEventDefinitions = [
  jobSubmitted,
  jobForked,
  phaseDispatched,
  phaseEnded,
  jobPaused,
  jobResumed,
  jobDeadlineMoved,
  jobSteered,
  workspaceEdited,
  jobRetried,
  jobDefinitionChanged,
  jobGuardOverridden,
  jobGuardOverrideRevoked,
  timerSet,
  timerFired,
  jobCancelRequested,
  jobCompleted,
  jobFailed,
  jobCancelled,
  jobErased,
  ...itemEventDefinitions,
  ...handoffEventDefinitions,
  ...repositoryEventDefinitions,
  ...retentionEventDefinitions,
] as const;

export type JobEvent = EventOf<(typeof jobEventDefinitions)[number]>;
export type JobEventType = JobEvent['type'];
export type JobEventData<Type extends JobEventType> = Extract<JobEvent, { type: Type }>['data'];

/**
 * Types of events that end a job's stream. `ALLOWED_AFTER_END` lists the few that may still follow.
 */
export const jobEndTypes = ['JobCompleted', 'JobFailed', 'JobCancelled'] as const satisfies readonly JobEventType[];
