import { eventIdSchema, jobIdSchema, learningTraceScopes } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent, type EventOf } from '../event/define-event.js';

const change = {
  /** Principal who made the change. */
  actor: z.string(),
  /** Id of the event that the learning trace was made of. */
  trace: eventIdSchema,
  /** Job of the learning trace. */
  jobId: jobIdSchema,
  tenant: z.string(),
  from: z.enum(learningTraceScopes),
  reason: z.string(),
};

const learningTracePromoted = defineEvent(
  'LearningTracePromoted',
  1,
  'A person let the agents of other jobs of the tenant read a learning trace: those of its project, or all.',
  z.object({ ...change, to: z.enum(learningTraceScopes).exclude(['job']) }),
);

const learningTraceWithdrawn = defineEvent(
  'LearningTraceWithdrawn',
  1,
  'A person took a promotion back. Only the agents of the job of the learning trace can read it from now on.',
  z.object(change),
);

export const promotionEventDefinitions = [learningTracePromoted, learningTraceWithdrawn] as const;
export type PromotionEvent = EventOf<typeof learningTracePromoted> | EventOf<typeof learningTraceWithdrawn>;

/** Types of the events of promotions. */
export const promotionEventTypes: readonly string[] = promotionEventDefinitions.map(({ type }) => type);
