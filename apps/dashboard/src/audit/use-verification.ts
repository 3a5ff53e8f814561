import type { Verification } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';

const POLL_MS = 1_000;

/** Starts verifications of the log, or of one job, and follows the latest one. */
export function useVerification(jobId: string | undefined) {
  const start = useMutation({
    mutationFn: () => client.audit.startVerification(jobId === undefined ? {} : { jobId: jobId as JobId }),
  });
  const id = start.data?.id;
  const followed = useQuery({
    queryKey: ['audit', 'verification', id],
    queryFn: ({ signal }) => client.audit.verification(id ?? '', { signal }),
    enabled: id !== undefined,
    ...(start.data ? { initialData: start.data } : {}),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? POLL_MS : false),
  });
  const verification: Verification | undefined = id === undefined ? undefined : followed.data;
  return {
    verification,
    start: () => start.mutate(),
    isRunning: start.isPending || verification?.status === 'running',
    error: start.error ?? followed.error,
  };
}
