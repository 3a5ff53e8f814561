import { queryOptions } from '@tanstack/react-query';
import { client } from './client.js';

/*
 * Reads that several screens share. Each has one key, so that screens also share the answer. A screen may read more often than the interval
 * here, and has to say when the caller lacks the right.
 */

const SLOW_MS = 30_000;

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => client.agents({ signal }),
  refetchInterval: SLOW_MS,
});

export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: ({ signal }) => client.queues({ signal }),
  refetchInterval: SLOW_MS,
});

export const processesQuery = queryOptions({
  queryKey: ['processes'],
  queryFn: ({ signal }) => client.processes({ signal }),
  refetchInterval: 10_000,
});

/** The tenants that have load or a limit of their own, with their figures. */
export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  queryFn: ({ signal }) => client.tenants.list({ signal }),
  refetchInterval: SLOW_MS,
});

/** Numbers of jobs by status, agent, tenant, and what they wait for. */
export const jobCountsQuery = queryOptions({
  queryKey: ['jobs', 'counts'],
  queryFn: ({ signal }) => client.countJobs({ signal }),
  refetchInterval: SLOW_MS,
});
