import type { JobId, JobSelection } from '@phaseline/contracts';
import type { EventStore } from '@phaseline/event-store';
import { JobViews } from '@phaseline/projections';
import type { Pool } from 'pg';

/** Jobs that one query lists. */
const PAGE_JOBS = 500;

/** Lists the ids of the chosen jobs, newest first. */
export async function listJobs(
  pool: Pool,
  store: EventStore,
  { job, agent, tenant, since, limit }: JobSelection,
): Promise<readonly JobId[]> {
  if (job !== undefined) return [job];
  const views = new JobViews(pool, store);
  const jobs: JobId[] = [];
  const filter = {
    ...(agent === undefined ? {} : { agents: [agent] }),
    ...(tenant === undefined ? {} : { tenants: [tenant] }),
    createdSince: since,
  };
  for (let page = await views.list({ ...filter, limit: Math.min(limit, PAGE_JOBS) }); ;) {
    jobs.push(...page.jobs.map(({ jobId }) => jobId));
    if (!page.next || jobs.length >= limit) return jobs.slice(0, limit);
    page = await views.list({ ...filter, after: page.next, limit: Math.min(limit - jobs.length, PAGE_JOBS) });
  }
}
