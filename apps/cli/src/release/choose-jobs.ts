import type { JobSelection } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { requireJobInLog } from '../audit/verify-log.js';

/** Options that choose recorded jobs. */
export interface JobChoice {
  /** Id of a job, or a unique prefix of it. */
  readonly job?: string;
  readonly agent?: string;
  readonly since?: string;
  readonly limit: number;
}

/** Builds the part of a request that chooses recorded jobs. Throws NoSuchJob and AmbiguousJob. */
export async function chooseJobs(databaseUrl: string, { job, agent, since, limit }: JobChoice): Promise<JobSelection> {
  return {
    ...(job === undefined ? {} : { job: await findJob(databaseUrl, job) }),
    ...(agent === undefined ? {} : { agent }),
    ...(since === undefined ? {} : { since }),
    limit,
  };
}

async function findJob(databaseUrl: string, given: string): Promise<NonNullable<JobSelection['job']>> {
  const pool = createPool(databaseUrl, { max: 1, applicationName: 'phaseline-what-if' });
  try {
    return await requireJobInLog(pool, given);
  } finally {
    await pool.end();
  }
}
