import type { JobId } from '@phaseline/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../api/client.js';

export interface ActionFilter {
  readonly actor: string;
  readonly action: string;
  readonly jobId: string | undefined;
}

/** Number of rows to have before pages are read only as the list is scrolled. */
const MIN_ROWS = 50;

/** Reads actions page by page, latest first. A page may be empty, because it reads a bounded part of the log, so more follow at once. */
export function useActions({ actor, action, jobId }: ActionFilter) {
  const query = useInfiniteQuery({
    queryKey: ['audit', 'actions', actor, action, jobId],
    queryFn: ({ pageParam, signal }) =>
      client.audit.actions(
        {
          ...(actor === '' ? {} : { actor }),
          ...(action === '' ? {} : { action }),
          ...(jobId === undefined ? {} : { jobId: jobId as JobId }),
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const needsMore = rows.length < MIN_ROWS && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);
  return { query, rows };
}
