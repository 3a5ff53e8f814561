import type { BillMessage, BillRequest } from '@phaseline/contracts';
import { RELEASE, type EventStore } from '@phaseline/event-store';
import { offeredPacks } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { billJob } from '@phaseline/what-if';
import type { Pool } from 'pg';
import { listJobs } from './list-jobs.js';

/** Computes what recorded jobs would have cost, one after the other, so that memory does not grow with their number. */
export async function* bill(
  pool: Pool,
  store: EventStore,
  { context, prices, ...selection }: BillRequest,
): AsyncGenerator<BillMessage, void, undefined> {
  const changes = { ...(context ? { context } : {}), ...(prices ? { prices } : {}) };
  const parts = { tools: new ToolRegistry([...offeredPacks]), signal: new AbortController().signal };
  const jobs = await listJobs(pool, store, selection);
  yield { kind: 'started', release: RELEASE, jobs: jobs.length };
  for (const jobId of jobs) {
    const billed = await billJob(store, jobId, changes, parts);
    yield 'reason' in billed ? { kind: 'unbilled', ...billed } : { kind: 'billed', bill: billed };
  }
}
