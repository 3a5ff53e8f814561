import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** Why a list was given up: in the agent's words, or with the pattern that the machine saw. */
export const rewindReasonSchema = z.object({
  issue: z.string(),
  /** What stuck detection saw; absent where the agent asked for it. */
  pattern: z.string().optional(),
});
export type RewindReason = z.infer<typeof rewindReasonSchema>;

export const todosRewound = defineEvent(
  'TodosRewound',
  1,
  'The list is given up as it stands: the phase ends, and a strategic phase has to reconsider the plan.',
  z.object({
    ...rewindReasonSchema.shape,
    /** The call that asked for it; absent where the machine forced it. */
    callId: z.string().optional(),
  }),
);

export const todoAdded = defineEvent(
  'TodoAdded',
  1,
  'The agent added a todo to the end of its list.',
  z.object({
    todoId: z.int(),
    content: z.string().min(1),
    callId: z.string(),
  }),
);

export const todoStarted = defineEvent(
  'TodoStarted',
  1,
  'The agent began with a todo.',
  z.object({
    todoId: z.int(),
    callId: z.string(),
  }),
);

export const todoEventDefinitions = [todosRewound, todoAdded, todoStarted] as const;
