import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { jobCountsQuery, processesQuery, queuesQuery, tenantsQuery } from '../api/queries.js';
import { useRights } from '../api/use-rights.js';

const REFRESH_MS = 5_000;
/** Minutes of history in the charts. */
export const HISTORY_MINUTES = 120;

export function useQueues() {
  const can = useRights();
  return useQuery({ ...queuesQuery, enabled: can('queues:read'), refetchInterval: REFRESH_MS });
}

export function useQueueHistory() {
  const can = useRights();
  return useQuery({
    queryKey: ['queue-history'],
    queryFn: ({ signal }) => client.queueHistory(HISTORY_MINUTES, { signal }),
    enabled: can('queues:read'),
    refetchInterval: 30_000,
  });
}

export function useAlerts() {
  const can = useRights();
  return useQuery({
    queryKey: ['alerts'],
    queryFn: ({ signal }) => client.alerts({ signal }),
    enabled: can('processes:read'),
    refetchInterval: REFRESH_MS,
  });
}

export function useProcesses() {
  const can = useRights();
  return useQuery({ ...processesQuery, enabled: can('processes:read'), refetchInterval: REFRESH_MS });
}

export function useTenants() {
  const can = useRights();
  return useQuery({ ...tenantsQuery, enabled: can('tenants:read'), refetchInterval: REFRESH_MS });
}

/** Money and tokens of the present UTC day. */
export function useCostsToday() {
  const can = useRights();
  return useQuery({
    queryKey: ['costs', 'today'],
    queryFn: ({ signal }) => client.costs({ by: 'tenant', from: 'today', to: 'today' }, { signal }),
    enabled: can('jobs:read'),
    refetchInterval: 10_000,
  });
}

export function useJobCounts() {
  const can = useRights();
  return useQuery({ ...jobCountsQuery, enabled: can('jobs:read') });
}
