import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { stuckPatterns, stuckRungs } from './stuck-settings.js';

export const stuckDetected = defineEvent(
  'StuckDetected',
  1,
  'The phase goes in circles: what was seen, and what is done about it.',
  z.object({
    pattern: z.enum(stuckPatterns),
    rung: z.enum(stuckRungs),
    /** What was seen, for people: names of tools and counts. */
    evidence: z.string(),
    /** The steps that showed it. */
    steps: z.object({ from: z.int().min(1), to: z.int().min(1) }),
    /** The steps did not repeat each other: the agent is advised, and nothing else is ever done about it. */
    distinct: z.literal(true).optional(),
    /** What the agent was told, where it goes on. */
    message: z.string().optional(),
  }),
);
