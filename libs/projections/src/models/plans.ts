import type { JsonObject } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob, type PhaseEventData } from '@phaseline/domain';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange, ViewEvent } from '../log/view-events.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';

export const plansModel: ReadModel = {
  name: 'plans',
  key: ['job_id'],
  columns: [
    'submitted_position',
    'tenant',
    'user_name',
    'goal_id',
    'goal',
    'planning_status',
    'stage',
    'pattern_type',
    'pattern_subtype',
    'pattern_variant',
    'context_hash',
    'outline_hash',
    'roadmap_hash',
    'schedule_hash',
    'response_text',
    'escalate_reason',
    'pattern_rfc_required',
    'pattern_rfc_text',
    'approved_at',
    'changed_at',
  ],
  immutableColumns: ['submitted_position', 'tenant', 'user_name', 'goal_id', 'goal'],
};

type PlanStatus = PhaseEventData<'PlanStatusChanged'>;

export interface PlanRow {
  readonly job_id: JobId;
  readonly submitted_position: number;
  readonly tenant: string;
  readonly user_name: string | null;
  readonly goal_id: string | null;
  readonly goal: string | null;
  readonly planning_status: PlanStatus['planningStatus'];
  readonly stage: PlanStatus['stage'];
  readonly pattern_type: string | null;
  readonly pattern_subtype: string | null;
  readonly pattern_variant: string | null;
  readonly context_hash: string | null;
  readonly outline_hash: string | null;
  readonly roadmap_hash: string | null;
  readonly schedule_hash: string | null;
  readonly response_text: string | null;
  readonly escalate_reason: string | null;
  readonly pattern_rfc_required: boolean;
  readonly pattern_rfc_text: string | null;
  readonly approved_at: string | null;
  readonly changed_at: string;
}

/** The workflow whose jobs are plans. */
const PLANNING_WORKFLOW = 'planning';
/** Longest goal and longest name in characters, as a plan accepts them. A job that is refused later may have longer ones. */
const MAX_GOAL_CHARACTERS = 4_000;
const MAX_NAME_CHARACTERS = 200;

/** Whether an event may change the row of a plan, so that the row is needed. */
export function mayChangePlan({ type }: ViewEvent): boolean {
  return planChanges.has(type);
}

const planChanges: ReadonlySet<string> = new Set([
  ...['PlanArtifactRecorded', 'PlanStatusChanged'],
  ...['JobFailed', 'JobCancelled', 'JobRetried'],
]);

/** Applies one event to the rows of plans. */
export function evolvePlans(rows: Rows<PlanRow>, job: JobView, change: ViewChange): void {
  const { jobId, event, recordedAt } = change;
  if (event.type === 'JobSubmitted') {
    if (event.data.workflow.name === PLANNING_WORKFLOW) rows.set(jobId, createRow(job, change, event.data));
    return;
  }
  const isOfPlan = event.type === 'PlanArtifactRecorded' || event.type === 'PlanStatusChanged';
  // A fork begins without a submission of its own.
  const row = rows.get(jobId) ?? (isOfPlan ? createRow(job, change, {}) : undefined);
  const updates = row && updateRow(row, change);
  if (updates) rows.set(jobId, { ...row, ...updates, changed_at: recordedAt });
}

interface Submission {
  readonly actor?: string;
  readonly parameters?: JsonObject;
}

function createRow(job: JobView, { jobId, recordedAt }: ViewChange, submission: Submission): PlanRow {
  const { actor, parameters: given = {} } = submission;
  const parameters = isEncryptedJob(jobId) ? {} : given;
  return {
    job_id: jobId,
    submitted_position: job.submittedPosition,
    tenant: job.tenant,
    user_name: clipText(parameters['user'], MAX_NAME_CHARACTERS) ?? actor ?? null,
    goal_id: findGoalId(jobId, submission),
    goal: clipText(parameters['goal'], MAX_GOAL_CHARACTERS),
    planning_status: 'in_progress',
    stage: 'context',
    ...noPattern,
    ...{ context_hash: null, outline_hash: null, roadmap_hash: null, schedule_hash: null },
    ...{ response_text: null, escalate_reason: null, pattern_rfc_required: false, pattern_rfc_text: null },
    approved_at: null,
    changed_at: recordedAt,
  };
}

/** The goal that the submission names, or else a new one with the id of the job. Null for an encrypted job and a fork. */
function findGoalId(jobId: JobId, { parameters }: Submission): string | null {
  if (!parameters || isEncryptedJob(jobId)) return null;
  return clipText(parameters['goalId'], MAX_NAME_CHARACTERS) ?? jobId;
}

/** Returns a text of at most `maxCharacters`; null if the value is no text. */
function clipText(value: unknown, maxCharacters: number): string | null {
  if (typeof value !== 'string') return null;
  // By code points, because PostgreSQL refuses half of a pair of surrogates.
  return value.length > maxCharacters ? [...value].slice(0, maxCharacters).join('') : value;
}

function updateRow(row: PlanRow, { jobId, event, recordedAt }: ViewChange): Partial<PlanRow> | undefined {
  switch (event.type) {
    case 'PlanArtifactRecorded':
      // The hashes of an encrypted job would confirm a guess of its content.
      return isEncryptedJob(jobId) ? {} : withArtifact(event.data.kind, event.data.hash);
    case 'PlanStatusChanged': {
      const { planningStatus, stage, patternRfcRequired } = event.data;
      const approved_at = planningStatus === 'complete' ? (row.approved_at ?? recordedAt) : null;
      const visible = isEncryptedJob(jobId) ? {} : describeStatus(event.data);
      return {
        planning_status: planningStatus,
        stage,
        pattern_rfc_required: patternRfcRequired,
        approved_at,
        ...visible,
      };
    }
    case 'JobFailed':
      // A blocked job continues when a person retries it.
      return event.data.end === 'blocked' ? undefined : abort(row);
    case 'JobCancelled':
      return abort(row);
    case 'JobRetried':
      return row.planning_status === 'aborted' ? { planning_status: 'in_progress' } : undefined;
    default:
      return undefined;
  }
}

/** An approved plan stays approved, whatever happens to its job. */
function abort({ planning_status }: PlanRow): Partial<PlanRow> | undefined {
  return planning_status === 'complete' ? undefined : { planning_status: 'aborted' };
}

/** A new artifact makes those after it outdated: they were made from another one. */
function withArtifact(kind: PhaseEventData<'PlanArtifactRecorded'>['kind'], hash: string): Partial<PlanRow> {
  switch (kind) {
    case 'context':
      return { context_hash: hash, outline_hash: null, roadmap_hash: null, schedule_hash: null };
    case 'outline':
      return { outline_hash: hash, roadmap_hash: null, schedule_hash: null };
    case 'roadmap':
      return { roadmap_hash: hash, schedule_hash: null };
    case 'schedule':
      return { schedule_hash: hash };
  }
}

function describeStatus(status: PlanStatus): Partial<PlanRow> {
  const { responseText, escalateReason = null, selectedPattern, patternRfcText = null } = status;
  return {
    ...(selectedPattern ? describePattern(selectedPattern) : noPattern),
    response_text: responseText,
    escalate_reason: escalateReason,
    pattern_rfc_text: patternRfcText,
  };
}

const noPattern = { pattern_type: null, pattern_subtype: null, pattern_variant: null } as const;

function describePattern({ patternType, subtype, variant }: JsonObject): Partial<PlanRow> {
  return {
    pattern_type: clipText(patternType, MAX_NAME_CHARACTERS),
    pattern_subtype: clipText(subtype, MAX_NAME_CHARACTERS),
    pattern_variant: clipText(variant, MAX_NAME_CHARACTERS),
  };
}
