import { parseLabelFilter, type JobPage, type ListJobsQuery } from '@phaseline/client';
import type { TenantSelection } from '@phaseline/identity';
import type { JobViews } from '@phaseline/projections';
import { invalidRequest } from '../problem/validation.pipe.js';
import { toJobSummary } from './to-job-summary.js';

/** Returns a page of jobs. A cursor contains the position of the last job of a page; to callers it is opaque. */
export async function listJobs(views: JobViews, query: ListJobsQuery, tenants: TenantSelection): Promise<JobPage> {
  const { statuses: status, agent, label, cursor, limit } = query;
  const page = await views.list({
    limit,
    ...(tenants === 'all' ? {} : { tenants }),
    ...(status && status.length > 0 ? { statuses: status } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(label === undefined ? {} : { label: parseLabelFilter(label) }),
    ...(cursor === undefined ? {} : { before: decodeCursor(cursor) }),
  });
  return {
    items: page.jobs.map(toJobSummary),
    ...(page.next === undefined ? {} : { nextCursor: encodeCursor(page.next) }),
  };
}

const PREFIX = 'jobs:';

function encodeCursor(position: number): string {
  return Buffer.from(`${PREFIX}${position}`).toString('base64url');
}

/** Decodes a cursor. Throws ApiProblem. */
function decodeCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const position = Number(text.slice(PREFIX.length));
  if (!text.startsWith(PREFIX) || !Number.isSafeInteger(position) || encodeCursor(position) !== cursor) {
    throw invalidRequest([{ path: 'cursor', message: 'expected the "nextCursor" of the previous page' }]);
  }
  return position;
}
