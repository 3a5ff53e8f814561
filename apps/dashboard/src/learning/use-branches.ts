import { readCount, readObject, readString, type UntypedData, type Usage } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { BRANCH_LABEL, type BranchGroup } from './group-branches.js';

const PAGE_BRANCHES = 200;

/** Branches of experiments and bisections, newest first, page by page. */
export function useBranches() {
  return useInfiniteQuery({
    // A hint about any job requests them again.
    queryKey: ['jobs', 'branches'],
    queryFn: ({ pageParam, signal }) =>
      client.listPage({ labels: [BRANCH_LABEL], limit: PAGE_BRANCHES, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Where a branch comes from, and what it changes. */
export interface BranchOrigin {
  readonly parentId: JobId;
  /** What its parent had used there. The usage of a branch contains it. */
  readonly carried: Pick<Usage, 'inputTokens' | 'outputTokens' | 'costMicroUsd'>;
  /** Changes of the candidate, such as `agent creator-next`. */
  readonly changes: string;
}

/**
 * Reads where the branches of a group come from, by side and position. All branches of a side from one position have the same origin, so one of
 * them is read.
 */
export function useOrigins({ sides }: Pick<BranchGroup, 'sides'>): ReadonlyMap<string, BranchOrigin> {
  const first = new Map(
    sides.flatMap(({ key, branches }) => branches.map(({ position, job }) => [keyOfOrigin(key, position), job.jobId])),
  );
  const wanted = [...first];
  return useQueries({
    queries: wanted.map(([, jobId]) => ({
      queryKey: ['job', jobId, 'origin'],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => readOrigin(jobId, signal),
      staleTime: Infinity,
      meta: { isFinal: true },
    })),
    combine: (results) =>
      new Map(results.flatMap(({ data }, index) => (data ? [[wanted[index]![0], data] as const] : []))),
  });
}

export function keyOfOrigin(side: string, position: number): string {
  return `${side} ${position}`;
}

async function readOrigin(jobId: JobId, signal: AbortSignal): Promise<BranchOrigin | null> {
  // The events of its ancestors belong to its history, so it may have several of them.
  const { items } = await client.eventPage(jobId, { types: ['JobForked'], limit: 100 }, { signal });
  const data = items.map((event) => event.data as UntypedData).find((one) => one['jobId'] === jobId);
  const parentId = data ? readString(readObject(data, 'parent'), 'jobId') : undefined;
  if (data === undefined || parentId === undefined) return null;
  const carried = readObject(readObject(data, 'carried'), 'spending');
  const count = (name: keyof BranchOrigin['carried']): number => readCount(carried, name) ?? 0;
  return {
    parentId: parentId as JobId,
    carried: {
      inputTokens: count('inputTokens'),
      outputTokens: count('outputTokens'),
      costMicroUsd: count('costMicroUsd'),
    },
    changes: describeChanges(data),
  };
}

function describeChanges(data: UntypedData): string {
  const agent = readString(readObject(readObject(data, 'definition'), 'agent'), 'name');
  const settings = { ...readObject(data, 'models'), ...readObject(data, 'limits') };
  return [
    ...(agent === undefined ? [] : [`agent ${agent}`]),
    ...Object.entries(settings).map(([name, value]) => `${name}=${String(value)}`),
  ].join(', ');
}
