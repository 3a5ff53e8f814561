import type { JobEventType } from '../job/job-events.js';
import type { PhaseEventType } from '../phase/phase-events.js';

/** Retention removes files and vectors of ended jobs and moves their events to cold storage, unless a legal hold prevents it. */
const RETENTION = ['FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased', 'JobMovedToColdStorage'] as const;

/** Work that began before the end of a job can be recorded after it, and the changes of an ended job can be requested. */
const REPOSITORY = [
  'RepositoryChanged',
  'RepositoryOutputRequested',
  'RepositoryOutputMade',
  'RepositoryOutputFailed',
] as const;

/**
 * Event types that may follow an event that ends its stream: a failed job can be retried, an ended encrypted job can be
 * erased, its changes can be requested, and work on its repository can finish. The database rejects anything else (`may_follow`, last
 * replaced in migrations/000050_cold_storage.sql), and the audit reports it as `after-end`.
 */
export const ALLOWED_AFTER_END = {
  JobCompleted: ['JobErased', ...REPOSITORY, ...RETENTION],
  JobCancelled: ['JobErased', ...REPOSITORY, ...RETENTION],
  JobFailed: ['JobErased', 'JobRetried', ...REPOSITORY, ...RETENTION],
  JobErased: [],
  PhaseCompleted: [],
  PhaseFailed: [],
  PhaseCancelled: [],
} as const satisfies Partial<Record<JobEventType | PhaseEventType, readonly JobEventType[]>>;
