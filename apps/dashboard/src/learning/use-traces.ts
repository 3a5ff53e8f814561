import type { LearningTraceRecord, LearningTracesQuery } from '@phaseline/client';
import { learningActions, learningTraceScopes, learningTraceTypes } from '@phaseline/contracts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';

const PAGE_TRACES = 100;

/** What the filters of the list contain: the texts of the address. */
export const traceFilters = ['text', 'type', 'action', 'agent', 'scope'] as const;
export type TraceFilters = Readonly<Record<(typeof traceFilters)[number], string>>;

/** Learning traces that match, newest first, page by page; with a text the best matches, on one page. */
export function useTraces(filters: TraceFilters) {
  return useInfiniteQuery({
    queryKey: ['learning', 'traces', filters],
    queryFn: ({ pageParam, signal }) => readPage({ ...toTracesQuery(filters), before: pageParam }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) =>
      filters.text === '' && page.length === PAGE_TRACES ? page.at(-1)?.position : undefined,
  });
}

export function useTrace(id: string) {
  return useQuery({
    queryKey: ['learning', 'trace', id],
    queryFn: ({ signal }) => client.learningTrace(id, { signal }),
  });
}

/** Builds the query of the API. Codes that it does not know, from an address that was edited, are left out. */
function toTracesQuery({ text, type, action, agent, scope }: TraceFilters): Partial<LearningTracesQuery> {
  return {
    ...(text === '' ? {} : { text }),
    ...(agent === '' ? {} : { agent }),
    type: learningTraceTypes.find((one) => one === type),
    action: learningActions.find((one) => one === action),
    scope: learningTraceScopes.find((one) => one === scope),
  };
}

async function readPage(query: Partial<LearningTracesQuery>, signal: AbortSignal): Promise<LearningTraceRecord[]> {
  const page: LearningTraceRecord[] = [];
  for await (const trace of client.learningTraces({ ...query, limit: PAGE_TRACES }, { signal })) {
    page.push(trace);
    if (page.length === PAGE_TRACES) break;
  }
  return page;
}
