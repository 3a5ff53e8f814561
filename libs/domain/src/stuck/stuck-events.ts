import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { stuckPatterns, stuckRungs } from './stuck-settings.js';

export const stuckDetected = defineEvent(
  'StuckDetected',
  1,
  'The phase was found to be stuck. The event says what was detected and what is done about it.',
  z.object({
    pattern: z.enum(stuckPatterns),
    rung: z.enum(stuckRungs),
    /** What was detected, in words: names of tools and counts. */
    explanation: z.string(),
    /** The steps in which it was detected. */
    steps: z.object({ from: z.int().min(1), to: z.int().min(1) }),
    /** Set when the steps did not repeat each other. The agent is then advised, and nothing else is done. */
    distinct: z.literal(true).optional(),
    /** Advice given to the agent, if the phase continues. */
    message: z.string().optional(),
  }),
);
