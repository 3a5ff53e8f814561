import { parseLabelFilter, type JobPage, type ListJobsQuery } from '@phaseline/client';
import type { TenantSelection } from '@phaseline/identity';
import type { JobViews } from '@phaseline/projections';
import { PageCursor } from '../docs/page-cursor.js';
import { toJobSummary } from './to-job-summary.js';

const cursors = new PageCursor('jobs');

/** Returns a page of jobs. */
export async function listJobs(views: JobViews, query: ListJobsQuery, tenants: TenantSelection): Promise<JobPage> {
  const { statuses: status, agent, label, cursor, limit } = query;
  const page = await views.list({
    limit,
    ...(tenants === 'all' ? {} : { tenants }),
    ...(status && status.length > 0 ? { statuses: status } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(label === undefined ? {} : { label: parseLabelFilter(label) }),
    ...(cursor === undefined ? {} : { before: cursors.decode(cursor) }),
  });
  return {
    items: page.jobs.map(toJobSummary),
    ...(page.next === undefined ? {} : { nextCursor: cursors.encode(page.next) }),
  };
}
