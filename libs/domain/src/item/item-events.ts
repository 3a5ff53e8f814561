import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { callIdSchema } from '@phaseline/contracts';
import { itemStatuses, storedItemSchema } from './item.js';

/** What a transition says about the items of the loop. */
export const itemMoves = ['listed', 'implemented', 'tested', 'failed'] as const;

const itemsListed = defineEvent(
  'ItemsListed',
  1,
  'The items of the loop were accepted. Their checks are fixed from now on.',
  z.object({
    /** The phase that handed them in. */
    phase: z.int().min(1),
    items: z.array(storedItemSchema).min(1),
  }),
);

const itemStarted = defineEvent(
  'ItemStarted',
  1,
  'The work on an item began. A blocked item returns the workspace to the files of this phase.',
  z.object({ id: z.string(), phase: z.int().min(1) }),
);

const itemChanged = defineEvent(
  'ItemChanged',
  1,
  'The status of an item, or the number of its failed attempts, changed.',
  z.object({
    id: z.string(),
    /** The phase that ended. Its evidence proves an item that is tested. */
    phase: z.int().min(1),
    status: z.enum(itemStatuses),
    /** Number of attempts that failed so far. */
    attempts: z.int().min(0),
    /** Why an attempt failed. */
    reason: z.string().optional(),
  }),
);

export const itemEventDefinitions = [itemsListed, itemStarted, itemChanged] as const;

/** An event of the phase. The job accepts the items when the phase has ended. */
export const itemsSubmitted = defineEvent(
  'ItemsSubmitted',
  1,
  'The agent handed in the items of the loop.',
  z.object({ callId: callIdSchema, items: z.array(storedItemSchema).min(1) }),
);

export const itemsRefused = defineEvent(
  'ItemsRefused',
  1,
  'The items that the agent handed in were refused. After the second refusal the phase fails.',
  z.object({
    callId: callIdSchema,
    problems: z.array(z.string()).min(1),
    /** Number of lists that were refused in this phase, this one included. */
    count: z.int().min(1),
  }),
);
