import { z } from 'zod';

/** Statuses of a job; `isEnded` returns whether a status is final. */
export const jobStatuses = [
  'submitted',
  'running',
  'paused',
  'waiting-for-approval',
  'waiting-for-input',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
  'blocked',
  'aborted',
] as const;
export type JobStatus = (typeof jobStatuses)[number];

const endedStatuses = [
  'completed',
  'failed',
  'cancelled',
  'blocked',
  'aborted',
] as const satisfies readonly JobStatus[];

export const jobStatusSchema = z.enum(jobStatuses).meta({ id: 'JobStatus' });

/** Whether a job of this status ended without its deliverables, so that it can be retried. */
export function isRetryable(status: JobStatus): boolean {
  return status === 'failed' || status === 'blocked' || status === 'aborted';
}

/** Whether a status is final. */
export function isEnded(status: JobStatus): boolean {
  return (endedStatuses as readonly JobStatus[]).includes(status);
}
