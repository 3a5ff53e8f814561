import type { PhaselineClient } from '@phaseline/client';

const ENDS: readonly string[] = ['completed', 'failed', 'aborted', 'blocked', 'cancelled'];

/** Counts the jobs that have ended in any way. */
export async function countEndedJobs(client: PhaselineClient): Promise<number> {
  const { statuses } = await client.countJobs();
  return statuses.filter(({ value }) => ENDS.includes(value)).reduce((sum, { jobs }) => sum + jobs, 0);
}
