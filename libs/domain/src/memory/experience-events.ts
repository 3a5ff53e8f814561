import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** The sections of experiences.md, and what is noted in each. */
export const experienceKinds = ['failed', 'lesson', 'works'] as const;

export const experienceNoted = defineEvent(
  'ExperienceNoted',
  1,
  'An approach that failed, a lesson or a pattern that works was noted in experiences.md; later jobs of the agent are offered it.',
  z.object({
    kind: z.enum(experienceKinds),
    text: z.string(),
    /** The call that noted it; absent where the machine did, because a list was given up or a phase failed. */
    callId: z.string().optional(),
  }),
);
