import type { JsonObject } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange } from '../log/view-events.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';

export const patternDecisionsModel: ReadModel = {
  name: 'pattern_decisions',
  key: ['job_id', 'key'],
  columns: ['tenant', 'pattern', 'definition', 'actor', 'decided_at'],
  jsonColumns: ['pattern', 'definition'],
  immutableColumns: ['tenant'],
};

export interface PatternDecisionRow {
  readonly job_id: JobId;
  readonly key: string;
  readonly tenant: string;
  readonly pattern: JsonObject;
  readonly definition: JsonObject | null;
  readonly actor: string;
  readonly decided_at: string;
}

/** Adds an approved pattern. What an encrypted job proposed is its content, so other jobs do not know it. */
export function addPatternDecisions(rows: Rows<PatternDecisionRow>, { tenant }: JobView, change: ViewChange): void {
  const { jobId, event, recordedAt } = change;
  if (event.type !== 'PatternApproved' || isEncryptedJob(jobId)) return;
  const { proposal: key, pattern, definition = null, actor } = event.data;
  rows.set(`${jobId}/${key}`, { job_id: jobId, key, tenant, pattern, definition, actor, decided_at: recordedAt });
}
