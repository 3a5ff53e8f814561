import { hasRight, listTenantsWithRight, type Caller, type Right } from '@phaseline/identity';
import { requireRight } from './access-guard.js';

/** Tenant of requests that name none, for callers who are not bound to one tenant. */
const DEFAULT_TENANT = 'default';

/**
 * Returns the tenant of a request: the one that it names, else the only tenant in which the caller has the right, else `default`. Throws
 * ApiProblem `forbidden` if the caller lacks the right there.
 */
export function chooseTenant(caller: Caller, right: Right, requested: string | undefined): string {
  const tenant = requested ?? findOnlyTenant(caller, right) ?? DEFAULT_TENANT;
  requireRight(caller, right, tenant);
  return tenant;
}

function findOnlyTenant(caller: Caller, right: Right): string | undefined {
  if (hasRight(caller, right, DEFAULT_TENANT)) return undefined;
  const tenants = listTenantsWithRight(caller, right);
  return tenants !== 'all' && tenants.length === 1 ? tenants[0] : undefined;
}
