import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** Kinds of experiences; each has a section in experiences.md. */
export const experienceKinds = ['failed', 'lesson', 'works'] as const;

export const experienceNoted = defineEvent(
  'ExperienceNoted',
  1,
  'A failed approach, a lesson or a working pattern was noted in experiences.md. Later jobs of the agent can use it.',
  z.object({
    kind: z.enum(experienceKinds),
    text: z.string(),
    /** The call that noted it; absent if the system did, because a list was abandoned or a phase failed. */
    callId: callIdSchema.optional(),
  }),
);
