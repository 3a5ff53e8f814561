import { z } from 'zod';
import { approvalsSchema, contextSettingsSchema, phaseLimitsSchema } from '../agent/agent-definition.js';
import { toolSettingsSchema } from '../agent/tool-settings.js';
import { defineEvent, type EventOf } from '../event/define-event.js';
import { editedAnswerSchema, recordingSchema } from '../fork/fork-mode.js';
import { jsonObjectSchema } from '../json.js';
import { toolsLoaded } from '../discovery/discovery-events.js';
import { stuckDetected } from '../stuck/stuck-events.js';
import { stuckSettingsSchema } from '../stuck/stuck-settings.js';
import { experienceNoted } from '../memory/experience-events.js';
import { obligationSchema } from '../todo/obligation.js';
import { rewindReasonSchema, todoEventDefinitions } from '../todo/todo-events.js';
import { todoSchema } from '../todo/todo.js';
import { promptLayersSchema } from '../conversation/prompt-layers.js';
import { gateNames, phaseKinds } from '../workflow/workflow.js';

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Name of a file's content: its SHA-256, or, above 1 MiB, the name that is computed from its pieces. */
const contentName = sha256.describe('SHA-256 in hex; above 1 MiB the name that is computed from the pieces (audit.md)');

export const fileEntrySchema = z.object({ hash: contentName, size: count });
export const treeSchema = z.record(z.string(), fileEntrySchema);

export const usageSchema = z.object({
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
  estimated: z.boolean(),
});

/** What the rest of the job may still use when the phase starts. An absent bound is no bound. */
export const allowanceSchema = z.object({
  costMicroUsd: count.optional(),
  tokens: count.optional(),
  deadlineAt: z.iso.datetime().optional(),
});

export const completionSchema = z.object({
  summary: z.string(),
  deliverables: z.array(z.string()),
  confidence: z.number().min(0).max(1),
  notes: z.string(),
});

export const denialCodes = [
  'unknown_tool',
  'not_offered',
  'malformed_arguments',
  'bad_arguments',
  'answer_cut',
  'too_many_calls',
] as const;

export const phaseFailureCodes = [
  'stopped_early',
  'gate_refused',
  'bad_calls',
  'step_limit',
  'cost_limit',
  'token_limit',
  'wall_time_limit',
  'context_limit',
  'model_failed',
  'definition_missing',
  'repeated_failure',
  'worker_lost',
  'not_recorded',
  'rewind_limit',
  'stuck',
] as const;

export const phaseStarted = defineEvent(
  'PhaseStarted',
  1,
  'A phase began, with everything it needs to be folded alone.',
  z.object({
    jobId: z.uuid(),
    phase: z.int().min(1),
    attempt: z.int().min(1),
    state: z.string(),
    kind: z.enum(phaseKinds),
    name: z.string(),
    agent: z.object({ name: z.string(), displayName: z.string(), description: z.string() }),
    model: z.string(),
    tools: z.array(z.string()),
    /** Of the agent; the prompt has a line for each. */
    skills: z.array(z.object({ name: z.string(), description: z.string() })).optional(),
    /** Those of the tools that are in the prompt only once they were found. */
    onDemand: z.array(z.string()).optional(),
    todos: z.array(todoSchema),
    todoLimits: z.object({ min: z.int(), max: z.int() }),
    tree: treeSchema,
    deliverables: z.array(z.string()),
    /** What the last completed todo stands for, and what `job_complete` stands for where the state allows it. */
    finish: z.object({ outcome: z.string(), gates: z.array(z.enum(gateNames)) }),
    completion: z.object({ outcome: z.string(), gates: z.array(z.enum(gateNames)) }).optional(),
    /** What the last completed todo stands for where the plan has no phase left. */
    exhausted: z.object({ outcome: z.string(), gates: z.array(z.enum(gateNames)) }).optional(),
    /** What a list that is given up stands for, where the state allows it. */
    rewind: z.object({ outcome: z.string(), gates: z.array(z.enum(gateNames)) }).optional(),
    archive: z.boolean(),
    limits: phaseLimitsSchema,
    allowance: allowanceSchema,
    context: contextSettingsSchema.prefault({}),
    approvals: approvalsSchema.optional(),
    /** When it counts as stuck; as `DEFAULT_STUCK_SETTINGS` where the agent says nothing. */
    stuck: stuckSettingsSchema.optional(),
    /** What tools are told beside their arguments, the tools of MCP servers with it. */
    settings: toolSettingsSchema.optional(),
    /** What people said to the agent while no phase was there to hear it. */
    notices: z.array(z.string()).optional(),
    /** Of the job, for the queues: 0 or absent first, then lower numbers before higher ones. */
    priority: z.int().min(0).optional(),
    /** Only in a fork that does not run live. */
    recording: recordingSchema.optional(),
    /** How many lists of the job were given up so far. */
    rewinds: z.int().min(1).optional(),
    /** The list that was given up last, until another one is taken over. */
    rewound: rewindReasonSchema.extend({ phase: z.int().min(1) }).optional(),
    /** Todos of lists before that the next plan has to account for. */
    obligations: z.array(obligationSchema).min(1).optional(),
  }),
);

export const phaseForked = defineEvent(
  'PhaseForked',
  1,
  'The phase goes on in a fork from a point of the same phase of another job. What was before is read from that stream.',
  z.object({
    jobId: z.uuid(),
    phase: z.int().min(1),
    /** The last event of the parent's stream that the fork shares; the hash proves all before it. */
    parent: z.object({ streamId: z.string(), version: z.int().min(1), hash: sha256 }),
    /** What the phase runs by from here on, where that differs from what it started with. */
    changes: phaseStarted.data
      .pick({
        agent: true,
        model: true,
        tools: true,
        onDemand: true,
        todoLimits: true,
        deliverables: true,
        finish: true,
        completion: true,
        exhausted: true,
        rewind: true,
        archive: true,
        limits: true,
        approvals: true,
        stuck: true,
        settings: true,
      })
      .partial()
      // Picked, its default would come along and stand for what was not changed.
      .extend({ context: contextSettingsSchema.optional() }),
    allowance: allowanceSchema,
    recording: recordingSchema.optional(),
    /** Taken in place of the next answer; the model is not called for it. */
    editedAnswer: editedAnswerSchema.optional(),
    /** Until when calls that wait for a person may be allowed. */
    approvalsExpireAt: z.iso.datetime().optional(),
  }),
);

export const modelCallStarted = defineEvent(
  'ModelCallStarted',
  1,
  'A worker is about to call the model; the worst case of its price is reserved.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    requestHash: sha256,
    inputTokens: count,
    reservedTokens: count,
    reservedMicroUsd: count,
    holder: z.string(),
    epoch: count,
    /** A call that does not go on with the work but shortens the conversation. */
    purpose: z.literal('summary').optional(),
    /** What each layer of the prompt takes of `inputTokens`; they sum to it exactly. */
    layers: promptLayersSchema.optional(),
  }),
);

export const toolResultsCleared = defineEvent(
  'ToolResultsCleared',
  1,
  'Old results of tools were taken out of the conversation; the log keeps them, and the model may call again.',
  z.object({
    callIds: z.array(z.string()).min(1),
    /** What this saves in every call from now on. */
    tokens: count,
  }),
);

export const reasoningCleared = defineEvent(
  'ReasoningCleared',
  1,
  'Reasoning of older answers, which was sent back to the model, was removed from the conversation; the log keeps it.',
  z.object({
    /** The last step whose answer lost its reasoning; all before it have lost theirs too. */
    upToStep: z.int().min(1),
    /** What this saves in every call from now on. */
    tokens: count,
  }),
);

export const conversationSummarised = defineEvent(
  'ConversationSummarised',
  1,
  'The older part of the conversation was replaced by a summary that the model wrote.',
  z.object({
    /** The step that it makes room for. */
    step: z.int().min(1),
    model: z.string(),
    summary: z.string(),
    /** How many entries of the conversation, from its beginning, the summary stands for. */
    entries: z.int().min(1),
    usage: usageSchema,
    costMicroUsd: count,
    durationMs: count,
  }),
);

export const modelCallFailed = defineEvent(
  'ModelCallFailed',
  1,
  'An attempt to call the model failed; what was reserved for it stays reserved when it may have been charged.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    code: z.string(),
    message: z.string(),
    /** So many were made of this call by its holder. */
    attempts: z.int().min(1),
    mayBeCharged: z.boolean(),
  }),
);

export const modelAwaited = defineEvent(
  'ModelAwaited',
  1,
  'The model server is away or overloaded; the worker asks it again from time to time until it answers.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    code: z.string(),
    /** What the last attempt failed of, and what can be done about it. */
    message: z.string(),
    since: z.iso.datetime(),
    /** When the phase gives up. */
    until: z.iso.datetime(),
  }),
);

export const modelResponded = defineEvent(
  'ModelResponded',
  1,
  'The model answered; the reservation is settled by what it really took.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    content: z.string(),
    reasoning: z.string().optional(),
    calls: z.array(
      z.object({
        callId: z.string(),
        name: z.string(),
        /** Absent when the model sent no complete JSON object; `malformed` then keeps what it sent. */
        arguments: jsonObjectSchema.optional(),
        malformed: z.string().optional(),
      }),
    ),
    end: z.enum(['stop', 'calls', 'cut', 'filtered']),
    usage: usageSchema,
    costMicroUsd: count,
    durationMs: count,
  }),
);

export const toolCallRequested = defineEvent(
  'ToolCallRequested',
  1,
  'A call passed the checks and is to be run.',
  z.object({
    callId: z.string(),
    step: z.int().min(1),
    name: z.string(),
    arguments: jsonObjectSchema,
    /** Names of arguments that the model gave and the tool does not know; its result says that they were passed over. */
    ignored: z.array(z.string()).optional(),
    lane: z.enum(['log', 'runner']),
    effect: z.enum(['pure', 'idempotent', 'once']),
    timeoutMs: z.int().min(1),
    /** The call that asked for it, where it was not the model. */
    parent: z.string().optional(),
  }),
);

export const approvalRequested = defineEvent(
  'ApprovalRequested',
  1,
  'A call passed the checks and waits for a person to allow it.',
  z.object({
    callId: z.string(),
    step: z.int().min(1),
    name: z.string(),
    arguments: jsonObjectSchema,
    /** Names of arguments that the model gave and the tool does not know; its result says that they were passed over. */
    ignored: z.array(z.string()).optional(),
    lane: z.enum(['log', 'runner']),
    effect: z.enum(['pure', 'idempotent', 'once']),
    timeoutMs: z.int().min(1),
    /** The call that asked for it, where it was not the model. */
    parent: z.string().optional(),
    expiresAt: z.iso.datetime(),
  }),
);

export const approvalGranted = defineEvent(
  'ApprovalGranted',
  1,
  'A person allowed a call; it is run.',
  z.object({ callId: z.string(), actor: z.string() }),
);

export const approvalRefused = defineEvent(
  'ApprovalRefused',
  1,
  'A call that waited for a person is not run: it was refused, or its time ran out.',
  z.object({ callId: z.string(), actor: z.string(), reason: z.string() }),
);

export const toolCallDenied = defineEvent(
  'ToolCallDenied',
  1,
  'A call was refused and not run; the message told the model why.',
  z.object({
    callId: z.string(),
    step: z.int().min(1),
    name: z.string(),
    code: z.enum(denialCodes),
    message: z.string(),
    parent: z.string().optional(),
  }),
);

export const toolCallStarted = defineEvent(
  'ToolCallStarted',
  1,
  'A call with an effect that must not happen twice is about to be run.',
  z.object({
    callId: z.string(),
    holder: z.string(),
  }),
);

export const toolCallCompleted = defineEvent(
  'ToolCallCompleted',
  1,
  'A call ended well; `content` is what the model reads.',
  z.object({
    callId: z.string(),
    content: z.string(),
    attempts: z.int().min(1),
    durationMs: count,
  }),
);

export const toolCallFailed = defineEvent(
  'ToolCallFailed',
  1,
  'A call ended badly for good; `message` is what the model reads.',
  z.object({
    callId: z.string(),
    code: z.string(),
    message: z.string(),
    attempts: count,
    durationMs: count,
  }),
);

export const fileWritten = defineEvent(
  'FileWritten',
  1,
  'A file of the workspace has new content. The content is stored under the name in `hash`.',
  z.object({
    path: z.string(),
    hash: contentName,
    size: count,
    callId: z.string().optional(),
  }),
);

export const fileDeleted = defineEvent(
  'FileDeleted',
  1,
  'A file of the workspace is gone; its blob stays for the history.',
  z.object({
    path: z.string(),
    callId: z.string().optional(),
  }),
);

export const todoCompleted = defineEvent(
  'TodoCompleted',
  1,
  'The agent completed a todo.',
  z.object({
    todoId: z.int(),
    note: z.string().optional(),
    callId: z.string(),
  }),
);

export const jobCompletionProposed = defineEvent(
  'JobCompletionProposed',
  1,
  'The agent asked to end the job; the gates decide.',
  z.object({
    callId: z.string(),
    completion: completionSchema,
  }),
);

export const phaseNudged = defineEvent(
  'PhaseNudged',
  1,
  'The model stopped although there was work; it was told what to do next.',
  z.object({
    count: z.int().min(1),
    message: z.string(),
  }),
);

export const transitionRejected = defineEvent(
  'TransitionRejected',
  1,
  'A gate refused the end of the phase; the last todo is open again.',
  z.object({
    gate: z.enum(gateNames),
    outcome: z.string(),
    message: z.string(),
  }),
);

export const phaseSteered = defineEvent(
  'PhaseSteered',
  1,
  'A person said something to the agent; it is part of the next model call.',
  z.object({ actor: z.string(), message: z.string() }),
);

export const phasePaused = defineEvent(
  'PhasePaused',
  1,
  'The phase takes no further step; what runs may end.',
  z.object({ actor: z.string(), reason: z.string() }),
);

export const phaseContinued = defineEvent(
  'PhaseContinued',
  1,
  'The phase goes on after a pause.',
  z.object({
    actor: z.string(),
    /** The deadline of the job, moved by the length of the pause. */
    deadlineAt: z.iso.datetime().optional(),
  }),
);

export const phaseResumed = defineEvent(
  'PhaseResumed',
  1,
  'Another worker took over; what the old one still appends is refused.',
  z.object({
    epoch: z.int().min(1),
    holder: z.string(),
    previousHolder: z.string(),
  }),
);

export const phaseCompleted = defineEvent(
  'PhaseCompleted',
  1,
  'The phase passed its gates.',
  z.object({
    outcome: z.string(),
    /** The todos that a strategic phase planned for the next one. */
    plan: z
      .object({ phase: z.string().optional(), description: z.string().optional(), todos: z.array(todoSchema) })
      .optional(),
    completion: completionSchema.optional(),
    /** Why the list was given up; its open todos become obligations of the job. */
    rewound: rewindReasonSchema.optional(),
  }),
);

export const phaseFailed = defineEvent(
  'PhaseFailed',
  1,
  'The phase ended without passing its gates.',
  z.object({
    code: z.enum(phaseFailureCodes),
    message: z.string(),
    /** Whether another attempt with the same todos and files makes sense. */
    retryable: z.boolean(),
  }),
);

export const phaseCancelled = defineEvent(
  'PhaseCancelled',
  1,
  'The phase was ended from outside; its open calls are closed.',
  z.object({
    reason: z.string(),
  }),
);

export const phaseEventDefinitions = [
  phaseStarted,
  phaseForked,
  modelCallStarted,
  modelCallFailed,
  modelAwaited,
  modelResponded,
  toolResultsCleared,
  reasoningCleared,
  conversationSummarised,
  toolCallRequested,
  approvalRequested,
  approvalGranted,
  approvalRefused,
  toolCallDenied,
  toolCallStarted,
  toolCallCompleted,
  toolCallFailed,
  fileWritten,
  fileDeleted,
  todoCompleted,
  ...todoEventDefinitions,
  experienceNoted,
  jobCompletionProposed,
  phaseNudged,
  stuckDetected,
  toolsLoaded,
  transitionRejected,
  phaseSteered,
  phasePaused,
  phaseContinued,
  phaseResumed,
  phaseCompleted,
  phaseFailed,
  phaseCancelled,
] as const;

export type PhaseEvent = EventOf<(typeof phaseEventDefinitions)[number]>;
export type PhaseEventType = PhaseEvent['type'];
export type PhaseEventData<Type extends PhaseEventType> = Extract<PhaseEvent, { type: Type }>['data'];

export type Allowance = z.infer<typeof allowanceSchema>;
export type Completion = z.infer<typeof completionSchema>;
export type DenialCode = (typeof denialCodes)[number];
export type PhaseFailureCode = (typeof phaseFailureCodes)[number];

/** Types after which a phase's stream takes nothing more. */
export const phaseEndTypes = [
  'PhaseCompleted',
  'PhaseFailed',
  'PhaseCancelled',
] as const satisfies readonly PhaseEventType[];
