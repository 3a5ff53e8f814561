import { useQuery } from '@tanstack/react-query';
import { tenantsQuery } from './queries.js';
import { useRights, useWhoAmI } from './use-rights.js';

/** The tenant of jobs that name none. */
const DEFAULT_TENANT = 'default';

/**
 * Returns the names of the tenants in which the caller has a right, for a choice. A caller with the right in all tenants gets those that the
 * server knows; others may exist. `isOpen` says so.
 */
export function useTenants(right: string): { readonly names: readonly string[]; readonly isOpen: boolean } {
  const can = useRights();
  const { data: caller } = useWhoAmI();
  const granted = caller?.rights.find((one) => one.right === right)?.tenants ?? [];
  const { data: known = [] } = useQuery({ ...tenantsQuery, enabled: granted === 'all' && can('tenants:read') });
  if (granted !== 'all') return { names: granted.toSorted(), isOpen: false };
  const names = new Set([DEFAULT_TENANT, ...known.map(({ tenant }) => tenant)]);
  return { names: [...names].toSorted(), isOpen: true };
}
