import { z } from 'zod';
import { toolTraits } from '@phaseline/contracts';
import { defineEvent, type EventOf } from '../event/define-event.js';
import { jsonObjectSchema } from '@phaseline/basics';
import { toolsLoaded } from '../discovery/discovery-events.js';
import { stuckDetected } from '../stuck/stuck-events.js';
import { experienceNoted } from '../memory/experience-events.js';
import { rewindReasonSchema, todoEventDefinitions } from '../todo/todo-events.js';
import { todoSchema } from '../todo/todo.js';
import { promptLayersSchema } from '../conversation/prompt-layers.js';
import { gateNames } from '../workflow/workflow.js';
import { fileDeleted, fileWritten } from './file-events.js';
import { phaseForked, phaseStarted } from './start-events.js';

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const usageSchema = z.object({
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
  estimated: z.boolean(),
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
  'gate_rejected',
  'denied_calls',
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

const modelCallStarted = defineEvent(
  'ModelCallStarted',
  1,
  'A worker is about to call the model. The worst-case cost of the call is reserved.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    requestHash: sha256,
    inputTokens: count,
    reservedTokens: count,
    reservedMicroUsd: count,
    leaseOwner: z.string(),
    epoch: count,
    /** Set for a call that summarises the conversation instead of continuing the work. */
    purpose: z.literal('summary').optional(),
    /** Share of `inputTokens` per layer of the prompt. The layers sum to it exactly. */
    layers: promptLayersSchema.optional(),
  }),
);

const toolResultsCleared = defineEvent(
  'ToolResultsCleared',
  1,
  'Old tool results were removed from the conversation. The log keeps them, and the model may call again.',
  z.object({
    callIds: z.array(z.string()).min(1),
    /** Tokens saved in every later call. */
    tokens: count,
  }),
);

const reasoningCleared = defineEvent(
  'ReasoningCleared',
  1,
  'Reasoning of older answers was removed from the conversation that is sent to the model. The log keeps it.',
  z.object({
    /** The last step whose answer lost its reasoning. All earlier answers have lost theirs too. */
    upToStep: z.int().min(1),
    /** Tokens saved in every later call. */
    tokens: count,
  }),
);

const conversationSummarised = defineEvent(
  'ConversationSummarised',
  1,
  'The older part of the conversation was replaced by a summary that the model wrote.',
  z.object({
    /** The step for which the summary makes room. */
    step: z.int().min(1),
    model: z.string(),
    summary: z.string(),
    /** Number of entries, counted from the start of the conversation, that the summary replaces. */
    entries: z.int().min(1),
    usage: usageSchema,
    costMicroUsd: count,
    durationMs: count,
  }),
);

const modelCallFailed = defineEvent(
  'ModelCallFailed',
  1,
  'An attempt to call the model failed. Its reservation is kept if the call may have been charged.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    code: z.string(),
    message: z.string(),
    /** Number of attempts that the lease owner made at this call. */
    attempts: z.int().min(1),
    mayBeCharged: z.boolean(),
  }),
);

const modelAwaited = defineEvent(
  'ModelAwaited',
  1,
  'The model server is unavailable or overloaded. The worker retries the call until the server answers.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    code: z.string(),
    /** Why the last attempt failed, and what can be done about it. */
    message: z.string(),
    since: z.iso.datetime(),
    /** When the phase gives up. */
    until: z.iso.datetime(),
  }),
);

const modelResponded = defineEvent(
  'ModelResponded',
  1,
  'The model answered. Its actual usage replaces the reservation.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    content: z.string(),
    reasoning: z.string().optional(),
    calls: z.array(
      z.object({
        callId: z.string(),
        name: z.string(),
        /** Absent when the model sent no complete JSON object. `malformed` then contains what it sent. */
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

/** An admitted call, with everything that folds and decisions need to know of its tool. */
const admittedCallSchema = z.object({
  callId: z.string(),
  step: z.int().min(1),
  name: z.string(),
  arguments: jsonObjectSchema,
  /** Names of arguments that the tool does not know. The result says that they were ignored. */
  ignoredArguments: z.array(z.string()).optional(),
  lane: z.enum(['inline', 'remote']),
  effect: z.enum(['pure', 'idempotent', 'once']),
  traits: z.array(z.enum(toolTraits)),
  timeoutMs: z.int().min(1),
  /** The call that made this call; absent when the model made it. */
  parent: z.string().optional(),
});

const toolCallRequested = defineEvent(
  'ToolCallRequested',
  1,
  'A call passed the checks and is due to run.',
  admittedCallSchema,
);

const approvalRequested = defineEvent(
  'ApprovalRequested',
  1,
  'A call passed the checks and waits for a person to approve it.',
  admittedCallSchema.extend({ expiresAt: z.iso.datetime() }),
);

const approvalGranted = defineEvent(
  'ApprovalGranted',
  1,
  'A person approved a call, which is now due to run.',
  z.object({ callId: z.string(), actor: z.string() }),
);

const approvalRefused = defineEvent(
  'ApprovalRefused',
  1,
  'A call that waited for approval is not run: a person refused it, or the approval expired.',
  z.object({ callId: z.string(), actor: z.string(), reason: z.string() }),
);

const toolCallDenied = defineEvent(
  'ToolCallDenied',
  1,
  'A call was denied and not run. `message` tells the model why.',
  z.object({
    callId: z.string(),
    step: z.int().min(1),
    name: z.string(),
    code: z.enum(denialCodes),
    message: z.string(),
    parent: z.string().optional(),
  }),
);

const toolCallStarted = defineEvent(
  'ToolCallStarted',
  1,
  'A call whose effect must not happen twice is about to run.',
  z.object({
    callId: z.string(),
    leaseOwner: z.string(),
  }),
);

/** What checks read of a call's outcome, in the shape that its tool declares; only of tools that declare one. */
const resultSchema = jsonObjectSchema.optional();

const toolCallCompleted = defineEvent(
  'ToolCallCompleted',
  1,
  'A call succeeded. `content` is what the model reads.',
  z.object({
    callId: z.string(),
    content: z.string(),
    result: resultSchema,
    attempts: z.int().min(1),
    durationMs: count,
  }),
);

const toolCallFailed = defineEvent(
  'ToolCallFailed',
  1,
  'A call failed and is not retried. `message` is what the model reads.',
  z.object({
    callId: z.string(),
    code: z.string(),
    message: z.string(),
    result: resultSchema,
    attempts: count,
    durationMs: count,
  }),
);

const todoCompleted = defineEvent(
  'TodoCompleted',
  1,
  'The agent completed a todo.',
  z.object({
    todoId: z.int(),
    note: z.string().optional(),
    callId: z.string(),
  }),
);

const jobCompletionProposed = defineEvent(
  'JobCompletionProposed',
  1,
  'The agent proposed to complete the job. The gates decide.',
  z.object({
    callId: z.string(),
    completion: completionSchema,
  }),
);

const phaseNudged = defineEvent(
  'PhaseNudged',
  1,
  'The model stopped while todos were open and was told what to do next.',
  z.object({
    count: z.int().min(1),
    message: z.string(),
  }),
);

const transitionRejected = defineEvent(
  'TransitionRejected',
  1,
  'A gate rejected the end of the phase. The last todo is open again.',
  z.object({
    gate: z.enum(gateNames),
    outcome: z.string(),
    message: z.string(),
  }),
);

const phaseSteered = defineEvent(
  'PhaseSteered',
  1,
  'A person sent the agent a message. It is part of the next model call.',
  z.object({ actor: z.string(), message: z.string() }),
);

const phasePaused = defineEvent(
  'PhasePaused',
  1,
  'The phase was paused: it takes no further step. Running calls may finish.',
  z.object({ actor: z.string(), reason: z.string() }),
);

const phaseResumed = defineEvent(
  'PhaseResumed',
  1,
  'The phase was resumed after a pause.',
  z.object({
    actor: z.string(),
    /** The deadline of the job, moved by the length of the pause. */
    deadlineAt: z.iso.datetime().optional(),
  }),
);

const phaseTakenOver = defineEvent(
  'PhaseTakenOver',
  1,
  'Another worker took over the phase. Later appends of the previous worker are rejected.',
  z.object({
    epoch: z.int().min(1),
    leaseOwner: z.string(),
    previousLeaseOwner: z.string(),
  }),
);

const phaseCompleted = defineEvent(
  'PhaseCompleted',
  1,
  'The phase ended and passed its gates.',
  z.object({
    outcome: z.string(),
    /** Todos that a strategic phase planned for the next phase. */
    plan: z
      .object({ phase: z.string().optional(), description: z.string().optional(), todos: z.array(todoSchema) })
      .optional(),
    completion: completionSchema.optional(),
    /** Why the list was given up. Its open todos become obligations of the job. */
    rewound: rewindReasonSchema.optional(),
  }),
);

const phaseFailed = defineEvent(
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

const phaseCancelled = defineEvent(
  'PhaseCancelled',
  1,
  'The phase was cancelled. Its open calls are closed.',
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
  phaseResumed,
  phaseTakenOver,
  phaseCompleted,
  phaseFailed,
  phaseCancelled,
] as const;

export type PhaseEvent = EventOf<(typeof phaseEventDefinitions)[number]>;
export type PhaseEventType = PhaseEvent['type'];
export type PhaseEventData<Type extends PhaseEventType> = Extract<PhaseEvent, { type: Type }>['data'];

export type Completion = z.infer<typeof completionSchema>;
export type DenialCode = (typeof denialCodes)[number];
export type PhaseFailureCode = (typeof phaseFailureCodes)[number];

/** Types of events that end a phase's stream. */
export const phaseEndTypes = [
  'PhaseCompleted',
  'PhaseFailed',
  'PhaseCancelled',
] as const satisfies readonly PhaseEventType[];
