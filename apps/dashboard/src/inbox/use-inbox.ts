import type { InboxItem, InboxQuery } from '@phaseline/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { client } from '../api/client.js';

/** Entries that are loaded at once. The oldest come first, so that the others follow. */
const PAGE_SIZE = 100;

export type InboxFilter = Partial<Pick<InboxQuery, 'kind' | 'agent' | 'tenant' | 'jobId'>>;

interface LoadedInbox {
  readonly items: readonly InboxItem[];
  readonly hasMore: boolean;
}

/** Returns what waits for a person, oldest first. `loadMore` adds a page. */
export function useInbox(filter: InboxFilter) {
  const [count, setCount] = useState(PAGE_SIZE);
  const query = useQuery({
    queryKey: ['inbox', 'list', filter, count],
    queryFn: ({ signal }) => loadInbox(filter, count, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const loadMore = useCallback(() => setCount((before) => before + PAGE_SIZE), []);
  return { query, loadMore };
}

async function loadInbox(filter: InboxFilter, count: number, signal: AbortSignal): Promise<LoadedInbox> {
  const items: InboxItem[] = [];
  for await (const item of client.inbox({ ...filter, limit: PAGE_SIZE }, { signal })) {
    if (items.length === count) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}
