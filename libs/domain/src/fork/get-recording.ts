import type { JobState } from '../job/job-state.js';
import type { Recording } from './fork-mode.js';

/** Source of answers and results for the phases of a job; empty for a job that runs live. */
export function getRecording({ fork }: Pick<JobState, 'fork'>): { readonly recording?: Recording } {
  if (!fork || fork.mode === 'live') return {};
  const { mode, parent, unrecorded } = fork;
  return { recording: { mode, jobId: parent.jobId, ...(unrecorded ? { unrecorded } : {}) } };
}
