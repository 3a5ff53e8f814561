import { z } from 'zod';

const principalSchema = z.object({ id: z.string(), kind: z.enum(['person', 'service']) });

/** The authenticated caller, and what it may do. */
export const whoAmISchema = z
  .object({
    ...principalSchema.shape,
    /** The principal for whom the caller acts. */
    onBehalfOf: principalSchema.optional(),
    /**
     * How the caller was recognised. `key`: a stored key. `configured-key`: a key in PHASELINE_API_KEYS of the server. `session`: signed in
     * with a browser. `local-user`: the user who runs the server, because no administrator has a key.
     */
    authentication: z.object({
      method: z.enum(['key', 'configured-key', 'session', 'local-user']),
      /** Prefix and end of the stored key. */
      prefix: z.string().optional(),
      expiresAt: z.iso.datetime().optional(),
    }),
    roles: z.array(z.object({ role: z.string(), tenant: z.string() })),
    /** Every right of this request, with the tenants in which it applies. Limits of the key are included. */
    rights: z.array(z.object({ right: z.string(), tenants: z.union([z.literal('all'), z.array(z.string())]) })),
  })
  .meta({ id: 'WhoAmI' });
export type WhoAmI = z.infer<typeof whoAmISchema>;
