import { COMPLETION_FILE, foldJob, renderCompletionFile, type JobState, type PhaseState } from '@phaseline/domain';
import type { JobDecision } from '@phaseline/domain';
import { contentHash, type BlobWrite } from '@phaseline/event-store';

/**
 * Adds the completion file to a decision that completes the job, as part of `JobCompleted`, so that no completed job lacks it
 * and no other job has it. Returns the decision with the content to store in the same commit.
 */
export function addCompletionFile(
  job: JobState,
  phase: PhaseState | undefined,
  decision: JobDecision,
  now: Date,
): { readonly decision: JobDecision; readonly blobs: readonly BlobWrite[] } {
  const index = decision.job.findIndex(({ type }) => type === 'JobCompleted');
  const completed = decision.job[index];
  if (completed?.type !== 'JobCompleted' || !phase) return { decision, blobs: [] };
  const text = renderCompletionFile(foldJob(decision.job.slice(0, index), job)!, phase, completed.data);
  if (text === undefined) return { decision, blobs: [] };
  const content = new TextEncoder().encode(text);
  const hash = contentHash(content);
  const file = { path: COMPLETION_FILE, hash, size: content.byteLength, writtenAt: now.toISOString() };
  const events = decision.job.with(index, { type: 'JobCompleted', data: { ...completed.data, file } });
  return { decision: { ...decision, job: events }, blobs: [{ hash, content }] };
}
