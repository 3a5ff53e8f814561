import type { JobStatus } from '@phaseline/contracts';

/** What a job can be. Written down once more, because loading the client for it would slow every `--help` down; the types keep the two alike. */
const names = {
  submitted: true,
  running: true,
  paused: true,
  waiting_for_approval: true,
  cancelling: true,
  completed: true,
  failed: true,
  cancelled: true,
  blocked: true,
} as const satisfies Record<JobStatus, true>;

export const jobStatusNames = Object.keys(names) as readonly JobStatus[];
