import type { Actor } from '@phaseline/contracts';
import { rightDefinitions, type Right } from '../rights/rights.js';
import { ALL_TENANTS, isRightOfRole, type Role } from '../rights/roles.js';

/** A role that a principal has in a tenant, or in all tenants (`*`). */
export interface RoleGrant {
  readonly role: Role;
  readonly tenant: string;
}

/** What a key allows at most. It can only narrow the rights of its principal. */
interface KeyLimits {
  readonly rights?: readonly Right[] | undefined;
  readonly tenants?: readonly string[] | undefined;
}

/** How a caller was recognised. It is shown to the caller, and decides nothing. */
type Authentication =
  | { readonly method: 'key'; readonly prefix: string; readonly expiresAt?: string }
  | { readonly method: 'configured-key' | 'local-user' | 'session' };

/** The authenticated sender of a request. */
export interface Caller {
  readonly id: string;
  readonly kind: 'person' | 'service';
  readonly roles: readonly RoleGrant[];
  readonly limits?: KeyLimits;
  readonly authentication?: Authentication;
  /** The principal for whom this one acts. A request then needs the rights of both. */
  readonly onBehalfOf?: Omit<Caller, 'onBehalfOf' | 'limits' | 'authentication'>;
}

/**
 * Whether the caller has a right in a tenant; with `*`, whether it has the right in all tenants. A caller that acts for another
 * principal also needs the right to do so, and the other principal needs the right as well.
 */
export function hasRight(caller: Caller, right: Right, tenantOfAction: string): boolean {
  const { onBehalfOf, limits } = caller;
  const tenant = rightDefinitions[right].scope === 'system' ? ALL_TENANTS : tenantOfAction;
  if (limits?.rights && !limits.rights.includes(right)) return false;
  if (limits?.tenants && !limits.tenants.includes(tenant)) return false;
  if (!isGranted(caller.roles, right, tenant)) return false;
  if (!onBehalfOf) return true;
  return isGranted(caller.roles, 'act:on-behalf-of', tenant) && isGranted(onBehalfOf.roles, right, tenant);
}

/** Tenants in which the caller has a right: all of them, or a list of names. */
export type TenantSelection = 'all' | readonly string[];

/** Returns the tenants in which the caller has a right. */
export function listTenantsWithRight(caller: Caller, right: Right): TenantSelection {
  if (hasRight(caller, right, ALL_TENANTS)) return 'all';
  const named = [
    ...caller.roles.map(({ tenant }) => tenant),
    ...(caller.onBehalfOf?.roles ?? []).map(({ tenant }) => tenant),
    ...(caller.limits?.tenants ?? []),
  ];
  return [...new Set(named)].filter((tenant) => tenant !== ALL_TENANTS && hasRight(caller, right, tenant)).sort();
}

/** Whether the caller has a right in any tenant. */
export function hasRightSomewhere(caller: Caller, right: Right): boolean {
  return listTenantsWithRight(caller, right).length > 0;
}

/** Whether a selection contains a tenant. */
export function includesTenant(tenants: TenantSelection, tenant: string): boolean {
  return tenants === 'all' || tenants.includes(tenant);
}

/** Returns the actor that is recorded with the events of the caller. */
export function toActor({ id, kind, onBehalfOf }: Caller): Actor {
  return { id, kind, ...(onBehalfOf ? { onBehalfOf: { id: onBehalfOf.id, kind: onBehalfOf.kind } } : {}) };
}

function isGranted(roles: readonly RoleGrant[], right: Right, tenant: string): boolean {
  return roles.some(
    (grant) =>
      (grant.tenant === tenant || grant.tenant === ALL_TENANTS) && isRightOfRole(right, grant.role, grant.tenant),
  );
}
