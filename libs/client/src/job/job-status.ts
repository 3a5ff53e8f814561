import { z } from 'zod';

/** All that a job can be; `isEnded` tells the ones that last. */
export const jobStatuses = [
  'submitted',
  'running',
  'paused',
  'waiting_for_approval',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
  'blocked',
] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const endedStatuses = ['completed', 'failed', 'cancelled', 'blocked'] as const satisfies readonly JobStatus[];

export const jobStatusSchema = z.enum(jobStatuses).meta({ id: 'JobStatus' });

/** Whether nothing more will happen to a job of this status. */
export function isEnded(status: JobStatus): boolean {
  return (endedStatuses as readonly JobStatus[]).includes(status);
}
