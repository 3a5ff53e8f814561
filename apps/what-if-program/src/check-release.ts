import type { JobId, ReleaseCheckMessage, ReleaseCheckRequest } from '@phaseline/contracts';
import { RELEASE, type EventStore } from '@phaseline/event-store';
import { offeredPacks } from '@phaseline/inline-packs';
import { JobViews } from '@phaseline/projections';
import { ToolRegistry } from '@phaseline/tools';
import { checkJob } from '@phaseline/what-if';
import type { Pool } from 'pg';

/** Jobs that one query lists. */
const PAGE_JOBS = 500;

/** Decides recorded jobs again with this release, one after the other, so that memory does not grow with their number. */
export async function* checkRelease(
  pool: Pool,
  store: EventStore,
  request: ReleaseCheckRequest,
): AsyncGenerator<ReleaseCheckMessage, void, undefined> {
  const parts = { tools: new ToolRegistry([...offeredPacks]) };
  const jobs = await listJobs(new JobViews(pool, store), request);
  yield { kind: 'started', release: RELEASE, jobs: jobs.length };
  for (const jobId of jobs) yield { kind: 'checked', check: await checkJob(store, jobId, parts) };
}

async function listJobs(views: JobViews, { job, agent, since, limit }: ReleaseCheckRequest): Promise<readonly JobId[]> {
  if (job !== undefined) return [job];
  const jobs: JobId[] = [];
  const filter = { ...(agent === undefined ? {} : { agents: [agent] }), createdSince: since };
  for (let page = await views.list({ ...filter, limit: Math.min(limit, PAGE_JOBS) }); ;) {
    jobs.push(...page.jobs.map(({ jobId }) => jobId));
    if (!page.next || jobs.length >= limit) return jobs.slice(0, limit);
    page = await views.list({ ...filter, after: page.next, limit: Math.min(limit - jobs.length, PAGE_JOBS) });
  }
}
