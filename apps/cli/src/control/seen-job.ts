import type { JobSummary } from '@phaseline/client';

/** A job as the command read it before it sends its request. The position makes the request conditional. */
export type SeenJob = Pick<JobSummary, 'jobId'> & Partial<Pick<JobSummary, 'position' | 'agent' | 'status'>>;
