import type { JobState } from '../job/job-state.js';
import type { Recording } from './fork-mode.js';

/** Where the phases of a job take answers and results from; nothing in a job that runs live. */
export function recordingOf({ fork }: Pick<JobState, 'fork'>): { readonly recording?: Recording } {
  if (!fork || fork.mode === 'live') return {};
  return { recording: { mode: fork.mode, jobId: fork.parent.jobId } };
}
