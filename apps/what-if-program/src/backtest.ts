import type { BacktestMessage, BacktestRequest } from '@phaseline/contracts';
import { parseGuard, type Guard } from '@phaseline/domain';
import { RELEASE, type EventStore } from '@phaseline/event-store';
import { offeredPacks } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { backtestJob, FiguresSum, toBacktestRecord } from '@phaseline/what-if';
import type { Pool } from 'pg';
import type { GuardExecution } from './execute-guard.js';
import { listJobs } from './list-jobs.js';

/** Tries a guard on recorded jobs, one after the other, so that memory does not grow with their number. A command guard is run if the request says so. */
export async function* backtest(
  pool: Pool,
  store: EventStore,
  { guard: given, figuresOnly = false, execution, ...selection }: BacktestRequest,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<BacktestMessage, void, undefined> {
  const guard = parseGuard(given);
  const executed = execution && (await execute(guard, execution, signal));
  try {
    const askCommands = executed && { askCommands: executed.recorded.ask };
    const parts = { tools: new ToolRegistry([...offeredPacks]), ...askCommands };
    const { since, agent, limit } = selection;
    const until = new Date().toISOString();
    // One job more tells whether some are left out.
    const found = await listJobs(pool, store, { ...selection, limit: limit + 1 });
    const jobs = found.slice(0, limit);
    yield { kind: 'started', release: RELEASE, jobs: jobs.length };
    const sum = new FiguresSum();
    for (const jobId of jobs) {
      const tested = toBacktestRecord(await backtestJob(store, jobId, executed?.guard ?? guard, parts));
      // A guard that was stopped says nothing about the job.
      signal.throwIfAborted();
      await executed?.recorded.removeFolders();
      sum.add(tested);
      if (!figuresOnly) yield { kind: 'backtested', backtest: tested };
    }
    const upTo = { until, ...(since === undefined ? {} : { since }), ...(agent === undefined ? {} : { agent }) };
    yield { kind: 'figures', figures: sum.summarise(upTo, found.length > jobs.length) };
  } finally {
    await executed?.recorded.close();
  }
}

async function execute(
  guard: Guard,
  execution: NonNullable<BacktestRequest['execution']>,
  signal: AbortSignal,
): Promise<GuardExecution> {
  // Only this needs the packs of tool-runners, which take time to load.
  const { prepareExecution } = await import('./execute-guard.js');
  return prepareExecution(guard, execution, signal);
}
