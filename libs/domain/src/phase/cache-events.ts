import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

const count = z.int().min(0);

/** Encrypted jobs cannot write to the cache, so this event is never encrypted. */
export const requirementsCached = defineEvent(
  'RequirementsCached',
  1,
  'A call wrote requirements to the cache. Agents that start when requirements are open may now have a batch.',
  z.object({
    callId: callIdSchema,
    /** Tenant of the job, whose agents are started. */
    tenant: z.string(),
    collection: z.string(),
    /** Number of requirements that the cache did not contain before. */
    added: count,
    duplicates: count,
  }),
);
