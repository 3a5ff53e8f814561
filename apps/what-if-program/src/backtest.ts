import type { BacktestMessage, BacktestRequest } from '@phaseline/contracts';
import { parseGuard } from '@phaseline/domain';
import { RELEASE, type EventStore } from '@phaseline/event-store';
import { offeredPacks } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { backtestJob, toBacktestRecord } from '@phaseline/what-if';
import type { Pool } from 'pg';
import { listJobs } from './list-jobs.js';

/** Tries a guard on recorded jobs, one after the other, so that memory does not grow with their number. */
export async function* backtest(
  pool: Pool,
  store: EventStore,
  { guard: given, ...selection }: BacktestRequest,
): AsyncGenerator<BacktestMessage, void, undefined> {
  const guard = parseGuard(given);
  const parts = { tools: new ToolRegistry([...offeredPacks]) };
  const jobs = await listJobs(pool, store, selection);
  yield { kind: 'started', release: RELEASE, jobs: jobs.length };
  for (const jobId of jobs)
    yield { kind: 'backtested', backtest: toBacktestRecord(await backtestJob(store, jobId, guard, parts)) };
}
