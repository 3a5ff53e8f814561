import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../api/client.js';
import { jobCountsQuery } from '../api/queries.js';
import { useNow } from '../ui/time.js';
import { toConditions, toSort, type JobFilters } from './job-filters.js';

const PAGE_JOBS = 100;

/** The jobs that match, page by page. A page may be short although there are more. */
export function useJobs(filters: JobFilters) {
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const conditions = useMemo(() => toConditions(filters, minute), [filters, minute]);
  const sort = toSort(filters);
  const query = useInfiniteQuery({
    queryKey: ['jobs', 'list', conditions, sort],
    queryFn: ({ pageParam, signal }) =>
      client.listPage({ ...conditions, sort, limit: PAGE_JOBS, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const jobs = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { ...query, conditions, jobs };
}

/** Numbers of jobs by status, agent, tenant and wait, for the menus of the filters. */
export function useFacets() {
  return useQuery(jobCountsQuery);
}
