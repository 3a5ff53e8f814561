import { runKinds, storedCheckSchema } from '@phaseline/checks';
import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { evidenceListSchema } from '../completion/evidence.js';
import { defineEvent } from '../event/define-event.js';
import { gateNames } from '../workflow/workflow.js';
import { completionSchema } from './completion.js';

export const todoCompleted = defineEvent(
  'TodoCompleted',
  2,
  'The agent completed a todo.',
  z.object({
    todoId: z.int(),
    note: z.string().optional(),
    callId: callIdSchema,
    evidence: evidenceListSchema,
  }),
);

export const jobCompletionProposed = defineEvent(
  'JobCompletionProposed',
  1,
  'The agent proposed to complete the job. The gates decide.',
  z.object({
    callId: callIdSchema,
    completion: completionSchema,
  }),
);

export const phaseNudged = defineEvent(
  'PhaseNudged',
  1,
  'The model stopped while todos were open and was told what to do next.',
  z.object({
    count: z.int().min(1),
    message: z.string(),
  }),
);

/** What was claimed. */
const claimSubjectSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('todo'), todoId: z.int() }),
  z.object({ kind: z.literal('phase'), outcome: z.string() }),
]);
export type ClaimSubject = z.infer<typeof claimSubjectSchema>;

export const claimRaised = defineEvent(
  'ClaimRaised',
  1,
  'The agent made a claim that cannot be decided from the log alone. It stays open until its runs have ended, and is raised again under the same name when more are needed.',
  z.object({
    /** Names the claim within the phase. The calls that the system makes for it have it as their parent. */
    claim: callIdSchema,
    subject: claimSubjectSchema,
    /** The call that made the claim; absent for the end of a phase. */
    callId: callIdSchema.optional(),
    runs: z.array(z.object({ kind: z.enum(runKinds), name: z.string(), callId: callIdSchema })).min(1),
  }),
);

export const claimAccepted = defineEvent(
  'ClaimAccepted',
  1,
  'A claim passed its checks after its runs had ended. The event of what was claimed follows in the same commit, with the evidence.',
  z.object({ claim: callIdSchema, subject: claimSubjectSchema, callId: callIdSchema.optional() }),
);

export const claimRefused = defineEvent(
  'ClaimRefused',
  1,
  'A claim of the agent did not pass its checks. `message` tells the model what is missing.',
  z.object({
    /** Set for a claim that was open: the `claim` of its `ClaimRaised`. */
    claim: callIdSchema.optional(),
    subject: claimSubjectSchema,
    /** The call that made the claim; absent for the end of a phase. */
    callId: callIdSchema.optional(),
    failures: z.array(z.object({ check: storedCheckSchema, expected: z.string(), found: z.string() })).min(1),
    message: z.string(),
    /** Number of claims of this kind that were refused in a row, this one included. */
    inARow: z.int().min(1),
  }),
);

export const transitionRejected = defineEvent(
  'TransitionRejected',
  3,
  'A gate or a check rejected the end of the phase. The last todo is open again.',
  z.object({
    /** The gate; `checks` for the checks of the outcome, `controller` for a decision that names no outcome. */
    gate: z.enum([...gateNames, 'checks', 'controller']),
    /** Version of the `ClaimRefused` in the same stream that this event follows from. */
    refusedAt: z.int().min(1).optional(),
    outcome: z.string(),
    message: z.string(),
  }),
);
