import type { PrincipalEvent } from '@phaseline/domain';
import type { RoleGrant } from '../caller/caller.js';
import { roleDefinitions, type Role } from '../rights/roles.js';

/** A key of a principal, as the log records it. */
export interface PrincipalKey {
  readonly prefix: string;
  readonly digest: string;
  readonly label: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt?: string | undefined;
  readonly revokedAt?: string | undefined;
  readonly rights?: readonly string[] | undefined;
  readonly tenants?: readonly string[] | undefined;
}

interface GrantedRole extends RoleGrant {
  readonly grantedAt: string;
  readonly grantedBy: string;
}

/** An account of an OpenID provider with which a principal can sign in. */
export interface LinkedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly linkedAt: string;
  readonly linkedBy: string;
}

/** A person or a service: the fold of its stream. */
export interface Principal {
  readonly id: string;
  readonly kind: 'person' | 'service';
  readonly createdAt: string;
  readonly createdBy: string;
  readonly disabledAt?: string;
  readonly roles: readonly GrantedRole[];
  readonly keys: readonly PrincipalKey[];
  readonly identities: readonly LinkedIdentity[];
}

/** Applies an event that was recorded at a time. The first event of a stream is `PrincipalCreated`. */
export function evolvePrincipal(
  principal: Principal | undefined,
  event: PrincipalEvent,
  recordedAt: string,
): Principal {
  if (event.type === 'PrincipalCreated') {
    const { id, kind, actor } = event.data;
    return { id, kind, createdAt: recordedAt, createdBy: actor, roles: [], keys: [], identities: [] };
  }
  if (!principal) throw new Error(`a stream of a principal begins with ${event.type}`);
  switch (event.type) {
    case 'PrincipalDisabled':
      return { ...principal, disabledAt: recordedAt };
    case 'PrincipalEnabled': {
      const { disabledAt: _, ...enabled } = principal;
      return enabled;
    }
    case 'RoleGranted': {
      const { role, tenant, actor } = event.data;
      // A role of a newer release means nothing to this one.
      if (!isRole(role)) return principal;
      const others = principal.roles.filter((grant) => grant.role !== role || grant.tenant !== tenant);
      return { ...principal, roles: [...others, { role, tenant, grantedAt: recordedAt, grantedBy: actor }] };
    }
    case 'RoleRevoked': {
      const { role, tenant } = event.data;
      return { ...principal, roles: principal.roles.filter((grant) => grant.role !== role || grant.tenant !== tenant) };
    }
    case 'KeyCreated': {
      const { actor, ...key } = event.data;
      return { ...principal, keys: [...principal.keys, { ...key, createdAt: recordedAt, createdBy: actor }] };
    }
    case 'KeyRevoked': {
      const { prefix } = event.data;
      const revoke = (key: PrincipalKey): PrincipalKey =>
        key.prefix === prefix && key.revokedAt === undefined ? { ...key, revokedAt: recordedAt } : key;
      return { ...principal, keys: principal.keys.map(revoke) };
    }
    case 'IdentityLinked': {
      const { actor, ...identity } = event.data;
      return {
        ...principal,
        identities: [...principal.identities, { ...identity, linkedAt: recordedAt, linkedBy: actor }],
      };
    }
    case 'IdentityUnlinked': {
      const { issuer, subject } = event.data;
      const others = principal.identities.filter((known) => known.issuer !== issuer || known.subject !== subject);
      return { ...principal, identities: others };
    }
  }
}

/** Whether a text names a role of this release. */
export function isRole(text: string): text is Role {
  return Object.hasOwn(roleDefinitions, text);
}
