import { PhaselineClient } from '@phaseline/client';
import type { SubmitResponse } from '@phaseline/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { buildRequest, type SubmitDraft } from './submit-draft.js';
import { createUploadFetch } from './upload-fetch.js';

/** Returns the mutation that submits a draft, and the fraction of it that was sent. */
export function useSubmit(onSubmitted: (response: SubmitResponse) => void) {
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState(0);
  const submit = useMutation({
    mutationFn: (draft: SubmitDraft) => {
      setProgress(0);
      const client = new PhaselineClient({
        ...{ baseUrl: location.origin, retries: 1, timeoutMs: 60_000, fetch: createUploadFetch(setProgress) },
      });
      const { request, files } = buildRequest(draft);
      return client.submit(request, { files });
    },
    onSuccess: (response) => {
      void queryClient.invalidateQueries({ queryKey: ['jobs'] });
      onSubmitted(response);
    },
  });
  return { submit, progress };
}
