import { jsonObjectSchema } from '@phaseline/basics';
import { z } from 'zod';
import { defineEvent, type EventOf } from '../event/define-event.js';

export const preferencesChanged = defineEvent(
  'PreferencesChanged',
  1,
  'A person changed lasting preferences for plans in a tenant.',
  z.object({
    actor: z.string(),
    /** The new values by key; `null` for a preference that has its default again. */
    changes: jsonObjectSchema,
  }),
);

export type PreferencesChanged = EventOf<typeof preferencesChanged>;
