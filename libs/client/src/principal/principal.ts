import { z } from 'zod';
import { keySchema } from '../key/key.js';
import { tenantOrAllSchema } from '../tenant/tenant.js';

/** Id of a principal. It can be used unescaped in a URL and as an actor of events. */
const principalIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/, 'expected letters, digits and . _ @ + -, at most 100');

const reasonSchema = z.string().max(1_000);

/** A role of a principal in a tenant, or in all tenants (`*`). */
const roleGrantSchema = z.object({
  role: z.string(),
  tenant: z.string(),
  grantedAt: z.iso.datetime(),
  grantedBy: z.string(),
});

/** A person or a service. The id is the only name that is stored. */
export const principalSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['person', 'service']),
    createdAt: z.iso.datetime(),
    createdBy: z.string(),
    /** Since when the principal may do nothing; missing while it is enabled. */
    disabledAt: z.iso.datetime().optional(),
    roles: z.array(roleGrantSchema),
    keys: z.array(keySchema),
  })
  .meta({ id: 'Principal' });
export type PrincipalRecord = z.infer<typeof principalSchema>;

export const principalListSchema = z.object({ items: z.array(principalSchema) }).meta({ id: 'PrincipalList' });
export type PrincipalList = z.infer<typeof principalListSchema>;

export const createPrincipalRequestSchema = z
  .strictObject({ id: principalIdSchema, kind: z.enum(['person', 'service']) })
  .meta({ id: 'CreatePrincipalRequest' });
export type CreatePrincipalRequest = z.infer<typeof createPrincipalRequestSchema>;

export const disablePrincipalRequestSchema = z
  .strictObject({ reason: reasonSchema.default('') })
  .meta({ id: 'DisablePrincipalRequest' });
export type DisablePrincipalRequest = z.input<typeof disablePrincipalRequestSchema>;
export type ParsedDisablePrincipalRequest = z.output<typeof disablePrincipalRequestSchema>;

export const changeRoleRequestSchema = z
  .strictObject({ role: z.string().max(100), tenant: tenantOrAllSchema })
  .meta({ id: 'ChangeRoleRequest' });
export type ChangeRoleRequest = z.infer<typeof changeRoleRequestSchema>;
