import type { JobId } from '@phaseline/contracts';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange } from '../log/view-events.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';
import { addSpending, isAnswer, noSpending, spendingColumns, type SpendingRow } from './spending-row.js';

export const costsModel: ReadModel = {
  name: 'costs',
  key: ['job_id', 'day', 'agent', 'model'],
  columns: ['tenant', ...spendingColumns],
  immutableColumns: ['tenant'],
  summedColumns: spendingColumns,
};

export interface CostRow extends SpendingRow {
  readonly job_id: JobId;
  readonly day: string;
  readonly agent: string;
  readonly model: string;
  readonly tenant: string;
}

/** Adds the usage and cost of a model's answer. */
export function addCosts(rows: Rows<CostRow>, { agent, tenant }: JobView, change: ViewChange): void {
  const { jobId, event, recordedAt } = change;
  if (!isAnswer(event)) return;
  const { model } = event.data;
  const day = recordedAt.slice(0, 10);
  const key = `${jobId}/${day}/${agent}/${model}`;
  const row = rows.get(key) ?? { job_id: jobId, day, agent, model, tenant, ...noSpending };
  rows.set(key, addSpending(row, event));
}
