import { usageSchema, type JobStateResponse, type WorkspaceFile } from '@phaseline/client';
import { REDACTED_HASH } from '@phaseline/domain';
import type { JobAt } from '@phaseline/time-travel';

/**
 * Builds the response of `GET /v1/jobs/:id/state`: the folded states of the domain, and derived values that are
 * easier to read.
 */
export function buildStateResponse({ job, phase, phases, files, spending, position }: JobAt): JobStateResponse {
  return {
    jobId: job.submitted.jobId,
    position,
    job: { ...job },
    ...(phase ? { phase: withoutTranscript(phase) } : {}),
    phases: phases.map((record) => ({ ...record })),
    files: toFileList(files),
    usage: usageSchema.parse(spending),
  };
}

/** Removes the transcript, which is as long as the phase; callers read it as events. */
function withoutTranscript(phase: NonNullable<JobAt['phase']>): Record<string, unknown> {
  const { transcript: _transcript, ...conversation } = phase.conversation;
  return { ...phase, conversation };
}

/** Lists files by path; empty for an erased job. */
export function toFileList(files: JobAt['files']): WorkspaceFile[] {
  return Object.entries(files)
    .filter(([, { hash }]) => hash !== REDACTED_HASH)
    .map(([path, { size, hash, writtenAt, mode }]) => ({ path, size, hash, writtenAt, ...(mode ? { mode } : {}) }))
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}
