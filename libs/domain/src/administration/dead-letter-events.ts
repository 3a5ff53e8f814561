import { z } from 'zod';
import { defineEvent, type EventOf } from '../event/define-event.js';

const message = {
  actor: z.string(),
  /** Queue of the message. */
  queue: z.string(),
  messageId: z.string(),
};

export const deadLetterRetried = defineEvent(
  'DeadLetterRetried',
  1,
  'A person sent the message of a dead letter to its queue again.',
  z.object(message),
);

export const deadLetterDiscarded = defineEvent(
  'DeadLetterDiscarded',
  1,
  'A person closed a dead letter without sending its message again.',
  z.object({
    ...message,
    /** Why the message is not needed; absent if no reason was given. */
    reason: z.string().optional(),
  }),
);

export type DeadLetterEvent = EventOf<typeof deadLetterRetried> | EventOf<typeof deadLetterDiscarded>;
