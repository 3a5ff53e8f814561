import { generateIdempotencyKey, PhaselineClient } from '@phaseline/client';
import type { SubmitResponse } from '@phaseline/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { buildRequest, type SubmitDraft } from './submit-draft.js';
import { createUploadFetch } from './upload-fetch.js';

/**
 * Returns the mutation that submits a draft, and the fraction of it that was sent. A draft that is submitted again, because the response of
 * the server was lost, has the same idempotency key: it does not create a second job. A draft that was changed is another request.
 */
export function useSubmit(onSubmitted: (response: SubmitResponse, draft: SubmitDraft) => void) {
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState(0);
  const last = useRef<{ readonly draft: SubmitDraft; readonly idempotencyKey: string }>(undefined);
  const submit = useMutation({
    mutationFn: (draft: SubmitDraft) => {
      setProgress(0);
      const client = new PhaselineClient({
        ...{ baseUrl: location.origin, retries: 1, timeoutMs: 60_000, fetch: createUploadFetch(setProgress) },
      });
      if (last.current?.draft !== draft) last.current = { draft, idempotencyKey: generateIdempotencyKey() };
      const { idempotencyKey } = last.current;
      const { request, files } = buildRequest(draft);
      return client.submit({ idempotencyKey, ...request }, { files });
    },
    onSuccess: (response, draft) => {
      void queryClient.invalidateQueries({ queryKey: ['jobs'] });
      onSubmitted(response, draft);
    },
  });
  return { submit, progress };
}
