import type { JobStatus } from '@phaseline/contracts';

/** Job statuses. A copy, because loading the client for them would slow down every `--help`; the type keeps both equal. */
const names = {
  submitted: true,
  running: true,
  paused: true,
  'waiting-for-approval': true,
  'waiting-for-input': true,
  cancelling: true,
  completed: true,
  failed: true,
  cancelled: true,
  blocked: true,
  aborted: true,
} as const satisfies Record<JobStatus, true>;

export const jobStatusNames = Object.keys(names) as readonly JobStatus[];
