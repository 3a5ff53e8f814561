import { jsonObjectSchema } from '@phaseline/basics';
import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** What a phase returned: the outcome that it names, if it names one, and the result. */
export const returnSchema = z.object({ outcome: z.string().optional(), result: jsonObjectSchema });
export type PhaseReturn = z.infer<typeof returnSchema>;

export const phaseReturned = defineEvent(
  'PhaseReturned',
  1,
  'The agent returned the result of its phase. The checks of the end decide whether it is accepted.',
  returnSchema.extend({
    callId: callIdSchema,
    /** Size of the result in tokens, as it was counted. */
    tokens: z.int().min(0),
  }),
);

/** The return of the phase before, which is all that a phase sees of its conversation. */
export const receivedReturnSchema = z.object({
  phase: z.int().min(1),
  agent: z.string(),
  state: z.string(),
  outcome: z.string(),
  result: jsonObjectSchema,
});
export type ReceivedReturn = z.infer<typeof receivedReturnSchema>;
