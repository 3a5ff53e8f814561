import { z } from 'zod';
import { evidenceListSchema } from '../completion/evidence.js';
import { defineEvent } from '../event/define-event.js';
import { rewindReasonSchema } from '../todo/todo-events.js';
import { returnSchema } from '../return/return-events.js';
import { todoSchema } from '../todo/todo.js';
import { completionSchema } from './completion.js';
import { phaseFailureCodes } from './failure-codes.js';

export const phaseCompleted = defineEvent(
  'PhaseCompleted',
  3,
  'The phase ended and passed its gates.',
  z.object({
    outcome: z.string(),
    /** Todos that a strategic phase planned for the next phase. */
    plan: z
      .object({ phase: z.string().optional(), description: z.string().optional(), todos: z.array(todoSchema) })
      .optional(),
    completion: completionSchema.optional(),
    /** Why the list was abandoned. Its open todos become obligations of the job. */
    rewound: rewindReasonSchema.optional(),
    /** What the phase returned, if its state names its agent. */
    returned: returnSchema.optional(),
    evidence: evidenceListSchema,
  }),
);

export const phaseFailed = defineEvent(
  'PhaseFailed',
  5,
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
  'The phase was cancelled. Its open calls are closed.',
  z.object({
    reason: z.string(),
  }),
);
