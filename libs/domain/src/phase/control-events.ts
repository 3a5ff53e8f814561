import { processIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

export const phaseSteered = defineEvent(
  'PhaseSteered',
  1,
  'A person sent the agent a message. It is part of the next model call.',
  z.object({ actor: z.string(), message: z.string() }),
);

export const phasePaused = defineEvent(
  'PhasePaused',
  1,
  'The phase was paused: it takes no further step. Running calls may finish.',
  z.object({ actor: z.string(), reason: z.string() }),
);

export const phaseResumed = defineEvent(
  'PhaseResumed',
  1,
  'The phase was resumed after a pause.',
  z.object({
    actor: z.string(),
    /** The deadline of the job, moved by the length of the pause. */
    deadlineAt: z.iso.datetime().optional(),
  }),
);

export const phaseTakenOver = defineEvent(
  'PhaseTakenOver',
  1,
  'Another worker took over the phase. Later appends of the previous worker are rejected.',
  z.object({
    epoch: z.int().min(1),
    leaseOwner: processIdSchema,
    previousLeaseOwner: processIdSchema,
  }),
);
