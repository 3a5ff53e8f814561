import type { JobId } from '@phaseline/contracts';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange } from '../log/view-events.js';
import { spendingColumns, type ReadModel } from './read-model.js';
import type { Rows } from './rows.js';

export const costsModel: ReadModel = {
  name: 'costs',
  key: ['job_id', 'day', 'agent', 'model'],
  columns: ['tenant', ...spendingColumns],
  immutableColumns: ['tenant'],
  summedColumns: spendingColumns,
};

export interface CostRow {
  readonly job_id: JobId;
  readonly day: string;
  readonly agent: string;
  readonly model: string;
  readonly tenant: string;
  readonly steps: number;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly cost_micro_usd: number;
}

/** Adds the usage and cost of a model's answer. */
export function addCosts(rows: Rows<CostRow>, { agent, tenant }: JobView, change: ViewChange): void {
  const { jobId, event, recordedAt } = change;
  if (event.type !== 'ModelResponded' && event.type !== 'ConversationSummarised') return;
  const { model, usage, costMicroUsd } = event.data;
  const day = recordedAt.slice(0, 10);
  const key = `${jobId}/${day}/${agent}/${model}`;
  const row = rows.get(key);
  rows.set(key, {
    job_id: jobId,
    day,
    agent,
    model,
    tenant,
    steps: (row?.steps ?? 0) + (event.type === 'ModelResponded' ? 1 : 0),
    input_tokens: (row?.input_tokens ?? 0) + usage.inputTokens,
    cached_input_tokens: (row?.cached_input_tokens ?? 0) + usage.cachedInputTokens,
    output_tokens: (row?.output_tokens ?? 0) + usage.outputTokens,
    cost_micro_usd: (row?.cost_micro_usd ?? 0) + costMicroUsd,
  });
}
