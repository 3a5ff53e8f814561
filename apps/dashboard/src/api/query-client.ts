import { PhaselineClientError } from '@phaseline/client';
import { QueryClient } from '@tanstack/react-query';

/** Errors that asking again does not change. */
const FINAL_CODES: readonly string[] = ['unauthorized', 'forbidden', 'job_not_found', 'invalid_request'];

/**
 * The cache of all answers. Changes arrive as hints of the live channel (see use-live.ts), which invalidate entries; the interval of each
 * query is only a safety net.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      gcTime: 60_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) =>
        failures < 1 && !(error instanceof PhaselineClientError && FINAL_CODES.includes(error.code)),
    },
  },
});
