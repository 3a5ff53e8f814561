import type { BacktestMessage, BacktestRequest } from '@phaseline/contracts';
import { parseGuard } from '@phaseline/domain';
import { RELEASE, type EventStore } from '@phaseline/event-store';
import { offeredPacks } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { backtestJob, FiguresSum, toBacktestRecord } from '@phaseline/what-if';
import type { Pool } from 'pg';
import { listJobs } from './list-jobs.js';

/** Tries a guard on recorded jobs, one after the other, so that memory does not grow with their number. */
export async function* backtest(
  pool: Pool,
  store: EventStore,
  { guard: given, figuresOnly = false, ...selection }: BacktestRequest,
): AsyncGenerator<BacktestMessage, void, undefined> {
  const guard = parseGuard(given);
  const parts = { tools: new ToolRegistry([...offeredPacks]) };
  const { since, agent, limit } = selection;
  const until = new Date().toISOString();
  // One job more tells whether some are left out.
  const found = await listJobs(pool, store, { ...selection, limit: limit + 1 });
  const jobs = found.slice(0, limit);
  yield { kind: 'started', release: RELEASE, jobs: jobs.length };
  const sum = new FiguresSum();
  for (const jobId of jobs) {
    const tested = toBacktestRecord(await backtestJob(store, jobId, guard, parts));
    sum.add(tested);
    if (!figuresOnly) yield { kind: 'backtested', backtest: tested };
  }
  const upTo = { until, ...(since === undefined ? {} : { since }), ...(agent === undefined ? {} : { agent }) };
  yield { kind: 'figures', figures: sum.summarise(upTo, found.length > jobs.length) };
}
