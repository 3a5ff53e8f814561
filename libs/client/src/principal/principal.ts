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

/** An account of an OpenID provider with which a principal signs in. */
const linkedAccountSchema = z.object({
  /** URL of the provider. */
  issuer: z.string(),
  /** Id of the account at the provider. */
  subject: z.string(),
  linkedAt: z.iso.datetime(),
  linkedBy: z.string(),
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
    /** Accounts with which the principal signs in; missing for a caller who may not read principals in all tenants. */
    accounts: z.array(linkedAccountSchema).optional(),
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

const accountShape = {
  subject: z
    .string()
    .regex(/^[ -~]{1,255}$/, 'expected 1 to 255 printable ASCII characters')
    .describe('id of the account at the provider'),
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(1_000)
    .optional()
    .describe('URL of the OpenID provider; default: the provider of this server'),
};

export const linkAccountRequestSchema = z.strictObject(accountShape).meta({ id: 'LinkAccountRequest' });
export type LinkAccountRequest = z.infer<typeof linkAccountRequestSchema>;

export const unlinkAccountRequestSchema = z
  .strictObject({ ...accountShape, reason: reasonSchema.default('') })
  .meta({ id: 'UnlinkAccountRequest' });
export type UnlinkAccountRequest = z.input<typeof unlinkAccountRequestSchema>;
export type ParsedUnlinkAccountRequest = z.output<typeof unlinkAccountRequestSchema>;
