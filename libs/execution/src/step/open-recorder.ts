import { isEncryptedJob, type PhaseState } from '@phaseline/domain';
import type { ModelError } from '@phaseline/model';
import type { LiveAnswers } from '../ports.js';

/**
 * Opens what shows people the answer to the open call; `undefined` if nothing does, or if the job is encrypted, because what is shown passes
 * the database as plain text.
 */
export function openRecorder(
  { start: { identity }, modelCall: { open } }: PhaseState,
  liveAnswers: LiveAnswers | undefined,
  previousFailure: ModelError | undefined,
): ReturnType<LiveAnswers['open']> | undefined {
  const { jobId, phase } = identity;
  if (!open || isEncryptedJob(jobId)) return undefined;
  const { step, purpose } = open;
  const attempt = (previousFailure?.attempts ?? 0) + 1;
  return liveAnswers?.open({ jobId, phase, step, attempt, ...(purpose ? { purpose } : {}) });
}
