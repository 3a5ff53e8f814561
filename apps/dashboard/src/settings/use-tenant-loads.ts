import { useQuery } from '@tanstack/react-query';
import { tenantsQuery } from '../api/queries.js';
import { useRights } from '../api/use-rights.js';

/** Reads the tenants that have load or a limit of their own, with their figures. */
export function useTenantLoads() {
  const can = useRights();
  return useQuery({ ...tenantsQuery, enabled: can('tenants:read'), refetchInterval: 10_000 });
}

/** Returns names of tenants to choose from. Others may exist. */
export function useTenantNames(): readonly string[] {
  const { data = [] } = useTenantLoads();
  return [...new Set(['default', ...data.map(({ tenant }) => tenant)])].toSorted();
}
