import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { completionEvidenceSchema } from '../completion/evidence.js';
import { defineEvent } from '../event/define-event.js';
import { gateNames } from '../workflow/workflow.js';
import { completionSchema } from './completion.js';

export const todoCompleted = defineEvent(
  'TodoCompleted',
  1,
  'The agent completed a todo.',
  z.object({
    todoId: z.int(),
    note: z.string().optional(),
    callId: callIdSchema,
    evidence: completionEvidenceSchema,
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

export const transitionRejected = defineEvent(
  'TransitionRejected',
  1,
  'A gate rejected the end of the phase. The last todo is open again.',
  z.object({
    gate: z.enum(gateNames),
    outcome: z.string(),
    message: z.string(),
  }),
);
