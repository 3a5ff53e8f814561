import type { JobDiffResponse, JobStateResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import { readMoment } from '../moment.js';
import { useTimeline } from '../use-job.js';

/** With what the files at the slider are compared. */
export const bases = ['event', 'phase', 'job'] as const;
export type Base = (typeof bases)[number];

export type FilePatch = NonNullable<JobDiffResponse['patches']>[number];

/** What changed in the files from a base to the slider, with patches. */
export function useChanges(jobId: JobId, state: JobStateResponse, base: Base) {
  const from = useBasePosition(jobId, state, base);
  return useQuery({
    queryKey: ['job', jobId, 'changes', from, state.position],
    queryFn: ({ signal }) => client.diff(jobId, { from: from!, to: state.position, patches: true, signal }),
    enabled: from !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    meta: { isFinal: true },
    gcTime: 10_000,
  });
}

/** The position before the changes; `undefined` until it is known. */
function useBasePosition(jobId: JobId, state: JobStateResponse, base: Base): number | undefined {
  const phase = readMoment(state).phase?.number;
  const timeline = useTimeline(jobId);
  const first = useQuery({
    queryKey: ['job', jobId, 'first-position'],
    queryFn: async ({ signal }) => (await client.eventRows(jobId, { limit: 1 }, { signal })).items[0]?.position ?? 1,
    staleTime: Infinity,
    meta: { isFinal: true },
  }).data;
  if (first === undefined) return undefined;
  // Before its first event a job has no state.
  if (base === 'event') return Math.max(first, state.position - 1);
  if (base === 'job' || phase === undefined) return first;
  return timeline.data?.phases.findLast((lane) => lane.phase === phase)?.fromPosition;
}
