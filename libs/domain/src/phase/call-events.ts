import { z } from 'zod';
import { jsonObjectSchema } from '@phaseline/basics';
import { toolTraits, callIdSchema, jobIdSchema, processIdSchema } from '@phaseline/contracts';
import { defineEvent } from '../event/define-event.js';

const count = z.int().min(0);

export const denialCodes = [
  'unknown_tool',
  'not_offered',
  'malformed_arguments',
  'bad_arguments',
  'response_truncated',
  'too_many_calls',
  'guard_denied',
] as const;
export type DenialCode = (typeof denialCodes)[number];

/** An admitted call, with everything that folds and decisions need to know about its tool. */
export const admittedCallSchema = z.object({
  callId: callIdSchema,
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
  parent: callIdSchema.optional(),
  /** What guards tell the model about this call. The result ends with it. */
  guardNotes: z.array(z.string()).optional(),
});

export const toolCallRequested = defineEvent(
  'ToolCallRequested',
  2,
  'A call passed the checks and is due to run.',
  admittedCallSchema,
);

export const approvalRequested = defineEvent(
  'ApprovalRequested',
  2,
  'A call passed the checks and waits for a person to approve it.',
  admittedCallSchema.extend({
    expiresAt: z.iso.datetime(),
    /** Why a guard demands the approval; absent if the agent demands it for each call of the tool. */
    reason: z.string().optional(),
  }),
);

const argumentsHash = z.string().regex(/^[0-9a-f]{64}$/);

export const approvalGranted = defineEvent(
  'ApprovalGranted',
  3,
  'A person approved a call, which is now due to run.',
  z.object({
    callId: callIdSchema,
    actor: z.string(),
    /** SHA-256 of the approved arguments. Absent in approvals that were recorded before it existed. */
    argumentsHash: argumentsHash.optional(),
    /** Why the person approved the call; absent if no reason was given, and before version 3. */
    reason: z.string().optional(),
  }),
);

export const toolCallAmended = defineEvent(
  'ToolCallAmended',
  1,
  'A person changed the arguments of a call that waits for approval. The approval follows in the same commit.',
  z.object({
    callId: callIdSchema,
    actor: z.string(),
    arguments: jsonObjectSchema,
    argumentsHash,
    /** SHA-256 of the arguments that the model gave. */
    previousArgumentsHash: argumentsHash,
    /** Whether the new arguments were checked against the schema of the tool. False if the schema is not known here. */
    isValidated: z.boolean(),
  }),
);

export const approvalRefused = defineEvent(
  'ApprovalRefused',
  1,
  'A call that waited for approval is not run: a person refused it, or the approval expired.',
  z.object({ callId: callIdSchema, actor: z.string(), reason: z.string() }),
);

export const toolCallDenied = defineEvent(
  'ToolCallDenied',
  2,
  'A call was denied and not run. `message` tells the model why.',
  z.object({
    callId: callIdSchema,
    step: z.int().min(1),
    name: z.string(),
    code: z.enum(denialCodes),
    message: z.string(),
    parent: callIdSchema.optional(),
  }),
);

export const toolCallStarted = defineEvent(
  'ToolCallStarted',
  1,
  'A call whose effect must not happen twice is about to run.',
  z.object({
    callId: callIdSchema,
    leaseOwner: processIdSchema,
  }),
);

/** The part of a call's outcome that checks read, in the shape that its tool declares; only for tools that declare one. */
const resultSchema = jsonObjectSchema.optional();

export const toolCallCompleted = defineEvent(
  'ToolCallCompleted',
  2,
  'A call succeeded. `content` is what the model reads.',
  z.object({
    callId: callIdSchema,
    content: z.string(),
    result: resultSchema,
    attempts: z.int().min(1),
    durationMs: count,
    /** In a fork: the recorded call to which this result belongs, if it is that of another call with the nearest arguments. */
    nearest: z.object({ jobId: jobIdSchema, phase: z.int().min(1), callId: callIdSchema }).optional(),
  }),
);

export const toolCallFailed = defineEvent(
  'ToolCallFailed',
  2,
  'A call failed and is not retried. `message` is what the model reads.',
  z.object({
    callId: callIdSchema,
    code: z.string(),
    message: z.string(),
    result: resultSchema,
    attempts: count,
    durationMs: count,
    /** Set if the failure may pass and no attempt is left. */
    exhausted: z.literal(true).optional(),
  }),
);
