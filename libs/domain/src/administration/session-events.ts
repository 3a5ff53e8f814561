import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** How a person signed in. */
const signInMethods = ['link', 'openid-connect'] as const;
export type SignInMethod = (typeof signInMethods)[number];

export const sessionStarted = defineEvent(
  'SessionStarted',
  1,
  'A principal signed in with a browser.',
  z.object({ sessionId: z.uuid(), method: z.enum(signInMethods), expiresAt: z.iso.datetime() }),
);

export const sessionEnded = defineEvent(
  'SessionEnded',
  1,
  'A principal signed out. A session that expires is not recorded: its end is in SessionStarted.',
  z.object({ sessionId: z.uuid(), actor: z.string() }),
);
