import type { KeyRecord, PrincipalRecord } from '@phaseline/client';
import {
  ALL_TENANTS,
  includesTenant,
  type Principal,
  type PrincipalKey,
  type TenantSelection,
} from '@phaseline/identity';

/**
 * Converts a principal to what a caller may see of it: roles and keys that apply to a tenant of the selection. Undefined if it has
 * none there, so that callers of one tenant do not learn who works for another.
 */
export function toPrincipalRecord(principal: Principal, tenants: TenantSelection): PrincipalRecord | undefined {
  const isVisible = (tenant: string): boolean => tenant === ALL_TENANTS || includesTenant(tenants, tenant);
  const roles = principal.roles.filter(({ tenant }) => isVisible(tenant));
  if (tenants !== 'all' && roles.length === 0) return undefined;
  const { id, kind, createdAt, createdBy, disabledAt, identities } = principal;
  return {
    ...{ id, kind, createdAt, createdBy, ...(disabledAt === undefined ? {} : { disabledAt }) },
    roles: roles.map(({ role, tenant, grantedAt, grantedBy }) => ({ role, tenant, grantedAt, grantedBy })),
    keys: principal.keys.flatMap((key) => {
      const visible = key.tenants?.filter(isVisible);
      if (visible?.length === 0) return [];
      return [toKeyRecord(id, visible ? { ...key, tenants: visible } : key)];
    }),
    // Accounts belong to no tenant.
    ...(tenants === 'all' ? { accounts: identities.map((account) => ({ ...account })) } : {}),
  };
}

/** Converts a key to its public record: everything but the digest. */
export function toKeyRecord(principal: string, key: PrincipalKey): KeyRecord {
  const { prefix, label, createdAt, createdBy, expiresAt, revokedAt, rights, tenants } = key;
  return {
    ...{ prefix, principal, label, status: getStatus(key), createdAt, createdBy },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(revokedAt === undefined ? {} : { revokedAt }),
    ...(rights === undefined ? {} : { rights: [...rights] }),
    ...(tenants === undefined ? {} : { tenants: [...tenants] }),
  };
}

function getStatus({ expiresAt, revokedAt }: PrincipalKey): KeyRecord['status'] {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}
