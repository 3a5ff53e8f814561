import type { GuardRecord, GuardSummaryRecord } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { queryClient } from '../api/query-client.js';

export type GuardVersion = GuardRecord['versions'][number];

/** Which of the guards with a name: that of the installation, or that of a tenant. */
export interface GuardPlace {
  readonly scope: 'system' | 'tenant';
  readonly tenant?: string;
}

/** Returns the address of a guard. */
export function linkToGuard(guard: Pick<GuardSummaryRecord, 'name' | 'scope' | 'tenant'>): string {
  const place = guard.tenant === undefined ? '' : `?tenant=${encodeURIComponent(guard.tenant)}`;
  return `/guards/${encodeURIComponent(guard.name)}${place}`;
}

/** Reads the place from the address: without a tenant it is the installation. */
export function readPlace(params: URLSearchParams): GuardPlace {
  const tenant = params.get('tenant');
  return tenant === null ? { scope: 'system' } : { scope: 'tenant', tenant };
}

export function useGuards() {
  return useQuery({
    queryKey: ['guards', 'list'],
    queryFn: ({ signal }) => client.guards.list({}, { signal }),
    refetchInterval: 30_000,
  });
}

export function useGuard(name: string, place: GuardPlace) {
  return useQuery({
    queryKey: ['guards', 'one', name, place],
    queryFn: ({ signal }) => client.guards.get(name, place, { signal }),
    refetchInterval: 10_000,
  });
}

/** Requests all guards again after one was changed. */
export function refreshGuards(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['guards'] });
}
