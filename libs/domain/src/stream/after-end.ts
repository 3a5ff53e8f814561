import type { JobEventType } from '../job/job-events.js';
import type { PhaseEventType } from '../phase/phase-events.js';

/**
 * What may stand right behind an event that ends its stream: a failed job can be retried, and an encrypted one that has ended
 * can be erased. The database refuses anything else (migrations/000023_after_end.sql), and the audit names it `after-end`.
 */
export const followersOfEnd = {
  JobCompleted: ['JobErased'],
  JobCancelled: ['JobErased'],
  JobFailed: ['JobErased', 'JobRetried'],
  JobErased: [],
  PhaseCompleted: [],
  PhaseFailed: [],
  PhaseCancelled: [],
} as const satisfies Partial<Record<JobEventType | PhaseEventType, readonly JobEventType[]>>;
