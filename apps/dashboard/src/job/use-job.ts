import type { JobId } from '@phaseline/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { client } from '../api/client.js';
import { queryClient } from '../api/query-client.js';
import { extendIndex, findPage, PAGE_EVENTS, resolveCursor, type Cursor } from './event-pages.js';

/** Number of columns in which the timeline is requested: about one per pixel of its width. */
const TIMELINE_COLUMNS = 1_000;

export function useJob(jobId: JobId) {
  return useQuery({
    queryKey: ['job', jobId, 'summary'],
    queryFn: ({ signal }) => client.get(jobId, { signal }),
    // What a job waits for may change without an event of the job: a worker starts, another job frees a slot.
    refetchInterval: ({ state: { data } }) => (data?.waitsFor === undefined ? 15_000 : 3_000),
  });
}

export function useTimeline(jobId: JobId) {
  return useQuery({
    queryKey: ['job', jobId, 'timeline'],
    queryFn: ({ signal }) => client.timeline(jobId, { width: TIMELINE_COLUMNS }, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** Where the pages of the job's events begin. A later request asks only for what came after the last page that was known. */
function useEventIndex(jobId: JobId) {
  const queryKey = ['job', jobId, 'index'];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = queryClient.getQueryData<Awaited<ReturnType<typeof client.eventIndex>>>(queryKey);
      const last = known?.anchors.at(-1);
      const later = await client.eventIndex(jobId, { every: PAGE_EVENTS, after: last?.position ?? 0 }, { signal });
      return known === undefined || last === undefined ? later : extendIndex(known, later);
    },
  });
}

/** The rows of one page. A full page never changes. */
export function eventPageQuery(jobId: JobId, page: number, after: number, isFull: boolean) {
  return {
    queryKey: ['job', jobId, 'rows', page],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      (await client.eventRows(jobId, { after, limit: PAGE_EVENTS }, { signal })).items,
    staleTime: isFull ? Infinity : 1_000,
    meta: { isFinal: isFull },
  };
}

/**
 * The position of the slider. It begins at `initial`, a position of the log, or at the last event. `position` is undefined for the moment
 * until the page of the event is loaded.
 */
export function useCursor(jobId: JobId, initial: number | undefined) {
  const [cursor, setCursor] = useState<Cursor>(
    initial === undefined ? { kind: 'end' } : { kind: 'position', position: initial },
  );
  const { data: index } = useEventIndex(jobId);
  const page = index === undefined ? 0 : findPage(cursor, index);
  const anchor = index?.anchors[page];
  const isFull = index !== undefined && (page + 1) * PAGE_EVENTS <= index.count;
  const rows = useQuery({
    ...eventPageQuery(jobId, page, anchor?.position ?? 0, isFull),
    enabled: anchor !== undefined,
  });
  const resolved = index === undefined ? undefined : resolveCursor(cursor, index, rows.data);
  const last = index === undefined ? Infinity : index.count - 1;
  const move = useCallback(
    (ordinal: number): void => setCursor(ordinal >= last ? { kind: 'end' } : { kind: 'ordinal', ordinal }),
    [last],
  );
  return {
    index,
    isAtEnd: cursor.kind === 'end',
    ordinal: resolved?.ordinal ?? 0,
    position: resolved?.position,
    row: resolved && rows.data?.[resolved.ordinal - page * PAGE_EVENTS],
    move,
    moveToPosition: (position: number) => setCursor({ kind: 'position', position }),
    follow: () => setCursor({ kind: 'end' }),
  };
}

export type JobCursor = ReturnType<typeof useCursor>;

/** The state of the job at a position; the state before stays visible while another one is requested. */
export function useMoment(jobId: JobId, position: number | undefined) {
  return useQuery({
    queryKey: ['job', jobId, 'state', position],
    queryFn: ({ signal }) => client.state(jobId, { at: position, signal }),
    enabled: position !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    meta: { isFinal: true },
    // The states that a person passes while sliding are not needed again.
    gcTime: 10_000,
  });
}
