import type { JobState as JobStateAnswer } from '@phaseline/client';
import { SEALED_HASH } from '@phaseline/domain';
import type { JobAt } from '@phaseline/time-travel';

/** What `GET /v1/jobs/:id/state` answers: the folded states as the domain has them, and what is easier to read beside them. */
export function stateAnswer({ job, phase, phases, files, spending, position }: JobAt): JobStateAnswer {
  return {
    jobId: job.submitted.jobId,
    position,
    job: { ...job, phaseRecords: phases, files: fileList(files), totalSpending: spending },
    ...(phase ? { phase: withoutConversation(phase) } : {}),
  };
}

/** The conversation is as long as the phase was; it is read as events. */
function withoutConversation({
  transcript: _conversation,
  ...phase
}: NonNullable<JobAt['phase']>): Record<string, unknown> {
  return phase;
}

/** By path. Of an erased job nothing is left to list. */
export function fileList(files: JobAt['files']): { path: string; size: number; hash: string }[] {
  return Object.entries(files)
    .filter(([, { hash }]) => hash !== SEALED_HASH)
    .map(([path, { size, hash }]) => ({ path, size, hash }))
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}
