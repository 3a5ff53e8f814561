import { generateIdempotencyKey, type Plan, type PlanWait } from '@phaseline/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { client } from '../api/client.js';

/**
 * Returns the mutation that replies to what a plan waits for. Each text has one idempotency key, so that sending it again after a lost answer replies
 * once. The reply names what the person has seen, so that the server refuses it for anything else.
 */
export function useReply({ planId }: Pick<Plan, 'planId'>, wait: PlanWait) {
  const queryClient = useQueryClient();
  const keys = useRef(new Map<string, string>());
  return useMutation({
    mutationFn: (text: string) => {
      const idempotencyKey = keys.current.get(text) ?? generateIdempotencyKey();
      keys.current.set(text, idempotencyKey);
      const { callId } = wait;
      const seen = wait.kind === 'approval' && wait.contentHash !== undefined ? { contentHash: wait.contentHash } : {};
      return client.replyToPlan(planId, { text, callId, ...seen }, { idempotencyKey });
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ['job', planId] }),
        queryClient.invalidateQueries({ queryKey: ['inbox'] }),
      ]),
  });
}

export type Reply = ReturnType<typeof useReply>;
