import type { JobId } from '@phaseline/contracts';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../api/client.js';
import { toPlansQuery, type PlanFilters } from './plan-filters.js';

const PAGE_PLANS = 50;

/** The plans that match, page by page. */
export function usePlans(filters: PlanFilters) {
  const conditions = useMemo(() => toPlansQuery(filters), [filters]);
  const query = useInfiniteQuery({
    // Hints about jobs concern plans too. The list follows the log with a delay, so it is also read from time to time.
    queryKey: ['jobs', 'plans', conditions],
    queryFn: ({ pageParam, signal }) =>
      client.planPage({ ...conditions, limit: PAGE_PLANS, before: pageParam }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ nextBefore }) => nextBefore,
    refetchInterval: 10_000,
  });
  const plans = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { ...query, plans };
}

/** A plan as it is now. It is read again when an event of its job arrives. */
export function usePlan(planId: JobId) {
  return useQuery({
    queryKey: ['job', planId, 'plan'],
    queryFn: ({ signal }) => client.plan(planId, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.waitsFor ? 15_000 : 5_000),
  });
}

export function usePlanTrace(planId: JobId) {
  return useQuery({
    queryKey: ['job', planId, 'plan-trace'],
    queryFn: ({ signal }) => client.planTrace(planId, { signal }),
  });
}

/** The picture of a schedule as SVG text. The hash of the schedule says which one. */
export function useSchedulePicture(planId: JobId, scheduleHash: string) {
  return useQuery({
    queryKey: ['job', planId, 'plan-picture', scheduleHash],
    queryFn: ({ signal }) => client.planSchedule(planId, 'svg', { signal }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    meta: { isFinal: true },
  });
}
