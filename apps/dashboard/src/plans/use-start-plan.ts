import { generateIdempotencyKey, type SubmitPlanRequest } from '@phaseline/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { client } from '../api/client.js';

/**
 * Returns the mutation that starts a plan. Each request has one idempotency key, so that sending it twice, or again after a lost answer, starts one
 * plan. A request that was changed is another plan.
 */
export function useStartPlan() {
  const queryClient = useQueryClient();
  const keys = useRef(new Map<string, string>());
  return useMutation({
    mutationFn: (request: SubmitPlanRequest) => {
      const text = JSON.stringify(request);
      const idempotencyKey = keys.current.get(text) ?? generateIdempotencyKey();
      keys.current.set(text, idempotencyKey);
      return client.submitPlan({ ...request, idempotencyKey });
    },
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ['jobs'] }),
  });
}
