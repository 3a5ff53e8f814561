import type { Remains } from '../run/world.js';
import { jobLogs } from './streams.js';

const MICRO = 1_000_000;

/** What the model's server charged for a job, lost answers included, never passes what the job was allowed. */
export function* moneyCapped(remains: Remains): Iterable<string> {
  for (const { agent, told } of jobLogs(remains)) {
    const charges = remains.charges.filter(({ job }) => job === agent);
    // A retry may bring more money: the last word is what the person agreed to in the end.
    let { maxCostUsd, maxTokens } = remains.asked.find(({ job }) => job.agent === agent)?.job.budgets ?? {};
    for (const { event } of told) {
      if (event.type !== 'JobRetried' || !event.data.budgets) continue;
      maxCostUsd = event.data.budgets.maxCostUsd ?? maxCostUsd;
      maxTokens = event.data.budgets.maxTokens ?? maxTokens;
    }
    const microUsd = charges.reduce((sum, charge) => sum + charge.microUsd, 0);
    if (maxCostUsd !== undefined && microUsd > maxCostUsd * MICRO)
      yield `${agent} was charged $${(microUsd / MICRO).toFixed(6)} of $${maxCostUsd} allowed`;
    const tokens = charges.reduce((sum, charge) => sum + charge.tokens, 0);
    if (maxTokens !== undefined && tokens > maxTokens) yield `${agent} used ${tokens} tokens of ${maxTokens} allowed`;
  }
}
