import type { JobEventType } from '../job/job-events.js';
import type { PhaseEventType } from '../phase/phase-events.js';

/** Retention removes files and vectors of ended jobs, unless a legal hold prevents it. */
const RETENTION = ['FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased'] as const;

/**
 * Event types that may follow an event that ends its stream: a failed job can be retried, an ended encrypted job can be
 * erased, and the changes of an ended job can be requested. The database rejects anything else (migrations/000002_append.sql), and the audit reports it as `after-end`.
 */
export const ALLOWED_AFTER_END = {
  JobCompleted: ['JobErased', 'RepositoryOutputRequested', ...RETENTION],
  JobCancelled: ['JobErased', 'RepositoryOutputRequested', ...RETENTION],
  JobFailed: ['JobErased', 'JobRetried', 'RepositoryOutputRequested', ...RETENTION],
  JobErased: [],
  PhaseCompleted: [],
  PhaseFailed: [],
  PhaseCancelled: [],
} as const satisfies Partial<Record<JobEventType | PhaseEventType, readonly JobEventType[]>>;
