import type { JobSummary } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useRef, useState } from 'react';

/** The jobs that a person has chosen. With the shift key, all between the last one and this one are chosen. */
export function useSelection(jobs: readonly JobSummary[]) {
  const [jobIds, setJobIds] = useState<ReadonlySet<JobId>>(new Set());
  const last = useRef<JobId>(undefined);
  const toggle = (jobId: JobId, withRange: boolean): void => {
    const range = withRange && last.current !== undefined ? listBetween(jobs, last.current, jobId) : [jobId];
    const isChosen = !jobIds.has(jobId);
    last.current = jobId;
    setJobIds((before) => {
      const after = new Set(before);
      for (const one of range)
        if (isChosen) after.add(one);
        else after.delete(one);
      return after;
    });
  };
  return { jobIds, toggle, clear: () => setJobIds(new Set()) };
}

function listBetween(jobs: readonly JobSummary[], one: JobId, other: JobId): readonly JobId[] {
  const places = [one, other].map((id) => jobs.findIndex(({ jobId }) => jobId === id)).sort((a, b) => a - b);
  return jobs.slice(places[0], places[1]! + 1).map(({ jobId }) => jobId);
}
