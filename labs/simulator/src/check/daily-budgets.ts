import { findAdministrationCatalogue, foldDailyBudget, getUsedMicroUsd, type BudgetEvent } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs } from './streams.js';

const MICRO_PER_USD = 1_000_000;
const BUDGET = /^budget-\d{4}-\d{2}-\d{2}-(.+)@(.+)$/;

/**
 * Checks that what is reserved and spent of the budget of a person never passes its cap, and neither does what the model server charged, lost answers
 * included.
 */
export function* checkDailyBudgets(remains: RunResult): Iterable<string> {
  for (const streamId of remains.log.streamIds()) {
    const [, actor, tenant] = BUDGET.exec(streamId) ?? [];
    if (actor === undefined) continue;
    const capUsd = findCap(remains, tenant!);
    if (capUsd === undefined) {
      yield `${streamId} is used, although no job of its tenant has a daily budget`;
      continue;
    }
    const cap = Math.round(capUsd * MICRO_PER_USD);
    const catalogue = findAdministrationCatalogue(streamId)!;
    let state = foldDailyBudget([]);
    for (const { recorded } of remains.log.storedEvents(streamId)) {
      state = foldDailyBudget([catalogue.decode(recorded) as BudgetEvent], state);
      if (getUsedMicroUsd(state) > cap)
        yield `${streamId} version ${recorded.version} has ${getUsedMicroUsd(state)} of ${cap} micro-USD in use`;
    }
  }
  yield* checkCharges(remains);
}

/** Compares with what the server charged. A run is shorter than a day, but may pass midnight. */
function* checkCharges(remains: RunResult): Iterable<string> {
  const days = new Map<string, Set<string>>();
  for (const streamId of remains.log.streamIds()) {
    const [, , tenant] = BUDGET.exec(streamId) ?? [];
    if (tenant !== undefined) days.set(tenant, (days.get(tenant) ?? new Set()).add(streamId));
  }
  for (const [tenant, streams] of days) {
    const agents = readJobLogs(remains).flatMap(({ agent, state }) =>
      state.submitted.tenant === tenant ? [agent] : [],
    );
    const charged = remains.charges
      .filter(({ job }) => agents.includes(job))
      .reduce((sum, { microUsd }) => sum + microUsd, 0);
    const cap = Math.round((findCap(remains, tenant) ?? 0) * MICRO_PER_USD) * streams.size;
    if (charged > cap) yield `the jobs of ${tenant} were charged ${charged} of ${cap} micro-USD`;
  }
}

function findCap({ jobs }: RunResult, tenant: string): number | undefined {
  return jobs.find(({ job }) => job.tenant === tenant)?.job.caps.dailyBudget?.costUsd;
}
