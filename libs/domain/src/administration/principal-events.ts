import { z } from 'zod';
import { defineEvent, type EventOf } from '../event/define-event.js';

const change = {
  /** Id of the principal who made the change. */
  actor: z.string(),
};

const principalCreated = defineEvent(
  'PrincipalCreated',
  1,
  'A person or a service became known. The id is the only name that is stored.',
  z.object({ ...change, id: z.string(), kind: z.enum(['person', 'service']) }),
);

const principalDisabled = defineEvent(
  'PrincipalDisabled',
  1,
  'The principal may do nothing until it is enabled: its keys are refused.',
  z.object({ ...change, reason: z.string() }),
);

const principalEnabled = defineEvent(
  'PrincipalEnabled',
  1,
  'The principal has its roles again, and its keys are accepted.',
  z.object(change),
);

const roleGrant = {
  role: z.string(),
  /** `*` for all tenants. */
  tenant: z.string(),
};

const roleGranted = defineEvent(
  'RoleGranted',
  1,
  'The principal has a role in a tenant or in all tenants.',
  z.object({ ...change, ...roleGrant }),
);

const roleRevoked = defineEvent(
  'RoleRevoked',
  1,
  'The principal no longer has a role in a tenant.',
  z.object({ ...change, ...roleGrant }),
);

/** First part of a key, by which it is found and shown. */
const prefix = z.string();

const keyCreated = defineEvent(
  'KeyCreated',
  1,
  'A key of the principal was created. The key itself is stored nowhere.',
  z.object({
    ...change,
    prefix,
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of the whole key'),
    /** What the key is for. */
    label: z.string(),
    expiresAt: z.iso.datetime().optional(),
    /** The only rights of the key; absent if it has all rights of its principal. */
    rights: z.array(z.string()).optional(),
    /** The only tenants of the key; absent if it has all tenants of its principal. */
    tenants: z.array(z.string()).optional(),
  }),
);

const keyRevoked = defineEvent(
  'KeyRevoked',
  1,
  'A key of the principal is refused from now on.',
  z.object({ ...change, prefix, reason: z.string() }),
);

const identity = {
  /** URL of the provider. */
  issuer: z.string(),
  /** Id of the account. The provider never gives it to another account. */
  subject: z.string(),
};

const identityLinked = defineEvent(
  'IdentityLinked',
  1,
  'The principal can sign in with an account of an OpenID provider.',
  z.object({ ...change, ...identity }),
);

const identityUnlinked = defineEvent(
  'IdentityUnlinked',
  1,
  'The principal can no longer sign in with an account of an OpenID provider. Its sessions have ended.',
  z.object({ ...change, ...identity, reason: z.string() }),
);

export const principalEventDefinitions = [
  principalCreated,
  principalDisabled,
  principalEnabled,
  roleGranted,
  roleRevoked,
  keyCreated,
  keyRevoked,
  identityLinked,
  identityUnlinked,
] as const;

export type PrincipalEvent =
  | EventOf<typeof principalCreated>
  | EventOf<typeof principalDisabled>
  | EventOf<typeof principalEnabled>
  | EventOf<typeof roleGranted>
  | EventOf<typeof roleRevoked>
  | EventOf<typeof keyCreated>
  | EventOf<typeof keyRevoked>
  | EventOf<typeof identityLinked>
  | EventOf<typeof identityUnlinked>;

/** Types of the events that `PrincipalEvent` names. */
export const principalEventTypes: ReadonlySet<string> = new Set(principalEventDefinitions.map(({ type }) => type));
