import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

export const toolsLoaded = defineEvent(
  'ToolsLoaded',
  1,
  'Tools were found on demand. They are in the prompt for the rest of the phase.',
  z.object({
    names: z.array(z.string()).min(1),
    /** The search that found them, or the call that named one of them. */
    callId: callIdSchema,
  }),
);
