import { z } from 'zod';

/** A one-time link. The URL is that of the server, with `/login#` and the token. */
export const loginLinkSchema = z
  .object({ token: z.string(), principal: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'LoginLink' });
export type LoginLink = z.infer<typeof loginLinkSchema>;
