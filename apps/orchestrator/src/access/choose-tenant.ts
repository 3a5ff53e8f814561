import { includesTenant, listTenantsWithRight, type Caller, type Right } from '@phaseline/identity';
import { ApiProblem } from '../problem/api-problem.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { requireRight } from './access-guard.js';

/** Tenant of a request that names none and whose caller may use it. */
export const DEFAULT_TENANT = 'default';

/**
 * Returns the tenant of a request: the named one; without a name `default`, or the only one in which the caller has the right. Throws
 * ApiProblem if the caller lacks the right there, or has it in several tenants and must name one.
 */
export function chooseTenant(caller: Caller, right: Right, named: string | undefined): string {
  if (named !== undefined) {
    requireRight(caller, right, named);
    return named;
  }
  const tenants = listTenantsWithRight(caller, right);
  if (includesTenant(tenants, DEFAULT_TENANT)) return DEFAULT_TENANT;
  const [only, ...others] = tenants;
  if (only === undefined) throw new ApiProblem('forbidden', `${caller.id} lacks the right ${right}.`);
  if (others.length === 0) return only;
  const message = `expected one of the tenants in which ${caller.id} has the right ${right}: ${[only, ...others].join(', ')}`;
  throw invalidRequest([{ path: 'tenant', message }]);
}
