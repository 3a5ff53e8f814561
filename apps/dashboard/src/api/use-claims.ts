import type { JobId } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { client } from './client.js';

/** Reads all claims of a job, oldest first. */
export function useClaims(jobId: JobId, { enabled = true }: { readonly enabled?: boolean } = {}) {
  return useQuery({
    queryKey: ['job', jobId, 'claims'],
    queryFn: ({ signal }) => Array.fromAsync(client.claims(jobId, {}, { signal })),
    enabled,
  });
}
