import type { JobEventType } from '../job/job-events.js';
import type { PhaseEventType } from '../phase/phase-events.js';

/**
 * Event types that may follow an event that ends its stream: a failed job can be retried, an ended encrypted job can be
 * erased, and the changes of an ended job can be requested. The database rejects anything else (migrations/000002_append.sql), and the audit reports it as `after-end`.
 */
export const ALLOWED_AFTER_END = {
  JobCompleted: ['JobErased', 'RepositoryOutputRequested'],
  JobCancelled: ['JobErased', 'RepositoryOutputRequested'],
  JobFailed: ['JobErased', 'JobRetried', 'RepositoryOutputRequested'],
  JobErased: [],
  PhaseCompleted: [],
  PhaseFailed: [],
  PhaseCancelled: [],
} as const satisfies Partial<Record<JobEventType | PhaseEventType, readonly JobEventType[]>>;
