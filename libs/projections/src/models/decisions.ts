import type { JobId } from '@phaseline/contracts';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange, ViewEvent } from '../log/view-events.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';

export const decisionsModel: ReadModel = {
  name: 'decisions',
  key: ['job_id', 'kind', 'name', 'scope', 'version', 'outcome'],
  columns: ['tenant', 'count'],
  immutableColumns: ['tenant'],
  summedColumns: ['count'],
};

/** What a decision of a guard led to. Decisions in shadow and overridden ones had no effect. */
type GuardOutcomeName = 'denied' | 'asked' | 'amended' | 'context' | 'failed' | 'shadow' | 'overridden';

export interface DecisionRow {
  readonly job_id: JobId;
  readonly kind: 'guard' | 'judge';
  readonly name: string;
  readonly scope: string;
  readonly version: string;
  readonly outcome: string;
  readonly tenant: string;
  readonly count: number;
}

/** Counts a decision of a guard or a judge. */
export function addDecisions(rows: Rows<DecisionRow>, { tenant }: JobView, { jobId, event }: ViewChange): void {
  const decided = describeDecision(event);
  if (!decided) return;
  const { kind, name, scope, version, outcome } = decided;
  const key = [jobId, kind, name, scope, version, outcome].join('/');
  const row = rows.get(key) ?? { job_id: jobId, kind, name, scope, version, outcome, tenant, count: 0 };
  rows.set(key, { ...row, count: row.count + 1 });
}

function describeDecision(event: ViewEvent): Omit<DecisionRow, 'job_id' | 'tenant' | 'count'> | undefined {
  if (event.type === 'JudgeEnded')
    return { kind: 'judge', name: event.data.name, scope: '', version: '', outcome: event.data.verdict };
  if (event.type !== 'GuardDecided') return undefined;
  const { guard, decision, failure, override } = event.data;
  const { name, scope, version, stage } = guard;
  const outcome = override
    ? 'overridden'
    : stage === 'production'
      ? nameOutcome(decision, failure !== undefined)
      : 'shadow';
  return { kind: 'guard', name, scope, version, outcome };
}

type GuardDecision = Extract<ViewEvent, { readonly type: 'GuardDecided' }>['data']['decision'];

/** An allow is recorded only if the guard could not decide, or added a context. */
function nameOutcome(decision: GuardDecision, hasFailed: boolean): GuardOutcomeName {
  if (decision !== 'allow') return guardOutcomes[decision];
  return hasFailed ? 'failed' : 'context';
}

const guardOutcomes: Readonly<Record<Exclude<GuardDecision, 'allow'>, GuardOutcomeName>> = {
  deny: 'denied',
  ask: 'asked',
  amend: 'amended',
  context: 'context',
};
