import type { RunResult } from '../run/world.js';
import { readJobLogs } from './streams.js';

const MICRO_PER_USD = 1_000_000;

/** Checks that the charges of the model server for a job, including lost answers, stay within its budget. */
export function* checkBudgets(remains: RunResult): Iterable<string> {
  for (const { agent, events } of readJobLogs(remains)) {
    // What child jobs cost is part of the budget of their parent.
    const charges = remains.charges.filter(({ job }) => job === agent || job.startsWith(`${agent}-h`));
    // A retry may raise the budget, so the latest one counts.
    let { maxCostUsd, maxTokens } = remains.jobs.find(({ job }) => job.agent === agent)?.job.budgets ?? {};
    for (const { event } of events) {
      if (event.type !== 'JobRetried' || !event.data.budgets) continue;
      maxCostUsd = event.data.budgets.maxCostUsd ?? maxCostUsd;
      maxTokens = event.data.budgets.maxTokens ?? maxTokens;
    }
    const microUsd = charges.reduce((sum, charge) => sum + charge.microUsd, 0);
    if (maxCostUsd !== undefined && microUsd > maxCostUsd * MICRO_PER_USD)
      yield `${agent} was charged $${(microUsd / MICRO_PER_USD).toFixed(6)} of $${maxCostUsd} allowed`;
    const tokens = charges.reduce((sum, charge) => sum + charge.tokens, 0);
    if (maxTokens !== undefined && tokens > maxTokens) yield `${agent} used ${tokens} tokens of ${maxTokens} allowed`;
  }
}
