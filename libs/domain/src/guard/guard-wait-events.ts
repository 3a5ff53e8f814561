import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { admittedCallSchema } from '../phase/call-events.js';
import { guardRefSchema } from './guard-events.js';
import { hookPoints } from './guard-vocabulary.js';

export const guardsAwaited = defineEvent(
  'GuardsAwaited',
  2,
  'Guards that are not pure have to decide before the phase continues at this point.',
  z.object({
    point: z.enum(hookPoints),
    /** The call that the guards decide about; absent at points without a call. */
    callId: callIdSchema.optional(),
    /** The call as it would run; set before a call is admitted. */
    call: admittedCallSchema.optional(),
    /** 2 once a guard has amended the call and all guards see the result. */
    round: z.int().min(1).max(2),
    /** The calls of `run_guard` that ask the guards. One call may ask several. */
    runs: z.array(z.object({ guard: guardRefSchema, callId: callIdSchema })).min(1),
    /** Set if the agent demands that a person approves the call. */
    needsApproval: z.literal(true).optional(),
    /** At PermissionRequest: the approval that is asked for, and the guard that demands it; without one, the agent does. */
    request: z
      .object({ expiresAt: z.iso.datetime(), reason: z.string().optional(), by: guardRefSchema.optional() })
      .optional(),
    /** The guards that changed the arguments, and why; set in the second round. */
    amendment: z.object({ by: z.array(guardRefSchema).min(1), reason: z.string() }).optional(),
    /** Set once guards were asked about the approval: the guard that granted it, if one did. */
    permission: z.object({ by: guardRefSchema.optional() }).optional(),
  }),
);

export const guardsSettled = defineEvent(
  'GuardsSettled',
  1,
  'All guards that were awaited have decided. What follows from their decisions is in the same commit.',
  z.object({ point: z.enum(hookPoints), callId: callIdSchema.optional(), round: z.int().min(1).max(2) }),
);

export const momentDecided = defineEvent(
  'MomentDecided',
  1,
  'Guards were asked at this moment of the phase. A refused message of a person never reaches the model; a refused task fails the phase.',
  z.object({
    point: z.enum(['SessionStart', 'UserPromptSubmit']),
    /** What was submitted: the task of the job, or the oldest message of a person about which guards had not decided. */
    prompt: z.enum(['task', 'message']).optional(),
    /** Set if a guard refused. */
    refusal: z.object({ guard: z.string(), reason: z.string() }).optional(),
  }),
);
