import type { JobSelection, ReleaseCheckMessage } from '@phaseline/contracts';
import { RELEASE, type EventStore } from '@phaseline/event-store';
import { offeredPacks } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { checkJob } from '@phaseline/what-if';
import type { Pool } from 'pg';
import { listJobs } from './list-jobs.js';

/** Decides recorded jobs again with this release, one after the other, so that memory does not grow with their number. */
export async function* checkRelease(
  pool: Pool,
  store: EventStore,
  selection: JobSelection,
): AsyncGenerator<ReleaseCheckMessage, void, undefined> {
  const parts = { tools: new ToolRegistry([...offeredPacks]) };
  const jobs = await listJobs(pool, store, selection);
  yield { kind: 'started', release: RELEASE, jobs: jobs.length };
  for (const jobId of jobs) yield { kind: 'checked', check: await checkJob(store, jobId, parts) };
}
