import type { StreamId } from '@phaseline/contracts';

/** Retention removes files and vectors of ended jobs and moves their events to cold storage, unless a legal hold prevents it. */
const RETENTION = ['FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased', 'JobMovedToColdStorage'] as const;

/** Work that began before the end of a job can be recorded after it, and the changes of an ended job can be requested. */
const REPOSITORY = [
  'RepositoryChanged',
  'RepositoryOutputRequested',
  'RepositoryOutputMade',
  'RepositoryOutputFailed',
] as const;

/** Event types that end a stream, and the types that may directly follow each. A spec compares it with `ALLOWED_AFTER_END` of libs/domain. */
export const FOLLOWERS_OF_END: Readonly<Record<string, readonly string[]>> = {
  JobCompleted: ['JobErased', ...REPOSITORY, ...RETENTION],
  JobCancelled: ['JobErased', ...REPOSITORY, ...RETENTION],
  JobFailed: ['JobErased', 'JobRetried', ...REPOSITORY, ...RETENTION],
  JobErased: [],
  PhaseCompleted: [],
  PhaseFailed: [],
  PhaseCancelled: [],
};

const followers = new Map(Object.entries(FOLLOWERS_OF_END).map(([end, next]) => [end, new Set(next)]));

export function isStreamEnd(type: string): boolean {
  return followers.has(type);
}

/** Represents a phase of the parent job. The stream is closed if that phase had ended at the point of the fork, so both are valid. */
const FORKED_PHASE = 'PhaseForked';

/** Whether the closed flag of a stream is correct. Streams of jobs and phases are closed only by the events that end them. */
export function isClosedFlagCorrect(streamId: StreamId, lastType: string, closed: boolean): boolean {
  if (lastType === FORKED_PHASE) return true;
  return closed === isStreamEnd(lastType) || (closed && !/^(job|phase)-/.test(streamId));
}

export function canFollow(previous: string | undefined, next: string): boolean {
  return previous === undefined || (followers.get(previous)?.has(next) ?? true);
}
