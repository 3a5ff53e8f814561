import { z } from 'zod';
import { defineEvent, type EventOf } from '../event/define-event.js';

const secretPlace = {
  actor: z.string(),
  name: z.string(),
  /** The only agent that may use the secret; absent if every agent of the tenant may. */
  agent: z.string().optional(),
};

export const secretStored = defineEvent(
  'SecretStored',
  2,
  'A secret was stored, or its value was replaced. The event contains nothing that was derived from the value.',
  z.object({
    ...secretPlace,
    /** Hosts to which repositories may send the secret; absent if no repository may use it. Absent before version 2. */
    repositoryHosts: z.array(z.string()).optional(),
  }),
);

export const secretRemoved = defineEvent('SecretRemoved', 1, 'A secret was removed.', z.object(secretPlace));

export type SecretEvent = EventOf<typeof secretStored> | EventOf<typeof secretRemoved>;
