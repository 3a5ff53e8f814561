import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { usageSchema } from '../phase/model-events.js';

const count = z.int().min(0);

export const judgeEnded = defineEvent(
  'JudgeEnded',
  2,
  'A model judged a claim. It can only object: no claim is accepted because of it alone.',
  z.object({
    /** The call of the system for which the judge was asked. */
    callId: callIdSchema,
    name: z.string(),
    verdict: z.enum(['no-objection', 'objection', 'unreadable']),
    reason: z.string(),
    step: z.int().min(1),
    model: z.string(),
    usage: usageSchema,
    costMicroUsd: count,
    durationMs: count,
  }),
);
