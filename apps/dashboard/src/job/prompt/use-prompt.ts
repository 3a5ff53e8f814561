import { PhaselineClientError, type ModelCall } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';

/** The model calls of a phase, in order; empty until it made one. */
export function useModelCalls(jobId: JobId, phase: number) {
  return useQuery({
    queryKey: ['job', jobId, 'model-calls', phase],
    queryFn: ({ signal }) => client.modelCalls(jobId, phase, { signal }).catch(emptyWithoutCalls),
  });
}

/** The server says of a phase without a call, and of one that does not exist, that there is no such call. */
function emptyWithoutCalls(error: unknown): readonly ModelCall[] {
  if (error instanceof PhaselineClientError && error.code === 'model_call_not_found') return [];
  throw error;
}

/** The request of a model call, which can be long and never changes. */
export function usePrompt(jobId: JobId, phase: number, { step, attempt }: Pick<ModelCall, 'step' | 'attempt'>) {
  return useQuery({
    queryKey: ['job', jobId, 'prompt', phase, step, attempt],
    queryFn: ({ signal }) => client.prompt(jobId, phase, step, { attempt, signal }),
    staleTime: Infinity,
    meta: { isFinal: true },
    gcTime: 10_000,
  });
}
