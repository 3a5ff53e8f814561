import { z } from 'zod';
import { defineEvent, type EventOf } from '../event/define-event.js';

/** Days after the end of a job; null: for ever. */
const days = z.int().min(0).nullable();

export const retentionSet = defineEvent(
  'RetentionSet',
  1,
  'How long a tenant keeps the files and vectors of ended jobs was set. It replaces the setting before.',
  z.object({
    actor: z.string(),
    filesDays: days,
    /** Null: as long as the files. */
    vectorsDays: days,
  }),
);

export type RetentionSet = EventOf<typeof retentionSet>;
