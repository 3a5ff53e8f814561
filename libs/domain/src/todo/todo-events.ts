import { storedChecksSchema } from '@phaseline/checks';
import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** Why a list was abandoned: in the agent's words, or with the pattern that stuck detection found. */
export const rewindReasonSchema = z.object({
  issue: z.string(),
  /** Pattern found by stuck detection; absent if the agent abandoned the list. */
  pattern: z.string().optional(),
});
export type RewindReason = z.infer<typeof rewindReasonSchema>;

const todosRewound = defineEvent(
  'TodosRewound',
  1,
  'The agent abandoned its list. The phase ends, and a strategic phase revises the plan.',
  z.object({
    ...rewindReasonSchema.shape,
    /** The call that abandoned the list; absent if the system forced it. */
    callId: callIdSchema.optional(),
  }),
);

const todoAdded = defineEvent(
  'TodoAdded',
  2,
  'The agent added a todo to the end of its list.',
  z.object({
    todoId: z.int(),
    content: z.string().min(1),
    outputs: storedChecksSchema.optional(),
    callId: callIdSchema,
  }),
);

const todoBlocked = defineEvent(
  'TodoBlocked',
  1,
  'The agent reported that a todo cannot be done at present. It stays open, and is shown to people.',
  z.object({ todoId: z.int(), reason: z.string().min(1), callId: callIdSchema }),
);

const todoUnblocked = defineEvent(
  'TodoUnblocked',
  1,
  'The agent reported that a blocked todo can be done now.',
  z.object({ todoId: z.int(), callId: callIdSchema }),
);

const todoStarted = defineEvent(
  'TodoStarted',
  1,
  'The agent started a todo.',
  z.object({
    todoId: z.int(),
    callId: callIdSchema,
  }),
);

export const todoEventDefinitions = [todosRewound, todoAdded, todoStarted, todoBlocked, todoUnblocked] as const;
