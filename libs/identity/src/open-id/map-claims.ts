import type { RoleGrant } from '../caller/caller.js';
import { ALL_TENANTS, type Role } from '../rights/roles.js';

/** A role that a value of the claim of roles gives: in one tenant, in all (`*`), or, without a tenant, in those of the person. */
export interface MappedRole {
  readonly value: string;
  readonly role: Role;
  readonly tenant?: string | undefined;
}

/** How claims of an OpenID provider give roles. Without `rolesClaim` they give none. */
export interface ClaimMapping {
  readonly rolesClaim?: string | undefined;
  readonly roles: readonly MappedRole[];
  /** Claim that names the organisation of the person. If it is set, roles are given only in the tenants of that organisation. */
  readonly tenantClaim?: string | undefined;
  /** Tenants by value of `tenantClaim`; `*` stands for all tenants. */
  readonly tenants: Readonly<Record<string, readonly string[]>>;
}

export type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the roles that claims give, ordered and without repetitions. A value gives a role only if the mapping names it: names of groups
 * and organisations are chosen by others, so they are never used as names of roles or tenants.
 */
export function mapClaims(claims: Claims, mapping: ClaimMapping): readonly RoleGrant[] {
  const { rolesClaim, tenantClaim } = mapping;
  const groups = rolesClaim === undefined ? [] : readClaim(claims, rolesClaim);
  const own = tenantClaim === undefined ? undefined : listTenants(claims, mapping);
  const grants = mapping.roles
    .filter(({ value }) => groups.includes(value))
    .flatMap(({ role, tenant }) =>
      tenant === undefined ? (own ?? []).map((each) => ({ role, tenant: each })) : { role, tenant },
    )
    .filter(({ tenant }) => !own || own.includes(tenant) || own.includes(ALL_TENANTS));
  const unique = new Map(grants.map((grant) => [`${grant.role} ${grant.tenant}`, grant]));
  return [...unique.keys()].sort().map((key) => unique.get(key)!);
}

/** Returns the tenants of the organisations that the claim of tenants names; none for an organisation that the mapping does not name. */
function listTenants(claims: Claims, { tenantClaim, tenants }: ClaimMapping): readonly string[] {
  if (tenantClaim === undefined) return [];
  return readClaim(claims, tenantClaim).flatMap((value) => (Object.hasOwn(tenants, value) ? tenants[value]! : []));
}

/**
 * Returns the texts in a claim, which contains one text or a list. A name with dots also finds a nested claim, such as
 * `realm_access.roles`.
 */
export function readClaim(claims: Claims, name: string): readonly string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce<unknown>(readMember, claims);
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string' && item !== '');
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
