import type { JobId } from '@phaseline/contracts';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange, ViewEvent } from '../log/view-events.js';
import { phaseKey, type PhaseRow } from './phases.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';

export const stageAssessmentsModel: ReadModel = {
  name: 'stage_assessments',
  key: ['job_id', 'number'],
  columns: ['tenant', 'agent', 'model', 'stage', 'confidence', 'assessed_at', 'outcome', 'decided_at'],
  immutableColumns: ['tenant', 'agent', 'model', 'stage', 'confidence', 'assessed_at'],
};

/**
 * What became of an assessed draft: `approved` as it was, `changed` because of what a person said, found `invalid`, or `aborted` with its plan.
 * `replaced`: the planner drafted the stage again before anything else was known, which says nothing about the confidence.
 */
type StageOutcome = 'approved' | 'changed' | 'invalid' | 'aborted' | 'replaced';

export interface StageAssessmentRow {
  readonly job_id: JobId;
  /** Number of the assessment within the plan, from 1. */
  readonly number: number;
  readonly tenant: string;
  readonly agent: string;
  readonly model: string | null;
  readonly stage: string;
  readonly confidence: number;
  readonly assessed_at: string;
  /** Null while nothing is known. */
  readonly outcome: StageOutcome | null;
  readonly decided_at: string | null;
}

/** Stages in the order in which each is made from the one before it. */
const stages = ['context', 'outline', 'roadmap', 'schedule'] as const;

/** Outcomes of phases after which a person had a stage, and those after it, made again. */
const CHANGED = /^(?:rejected_to|to)_(context|outline|roadmap|schedule)$/;
const INVALID = /^invalid_(?:retryable|fatal)$/;

/** Whether an event may change assessments of its plan, so that they are needed. */
export function mayChangeAssessments(event: ViewEvent): boolean {
  switch (event.type) {
    case 'StageAssessed':
    case 'JobCancelled':
    case 'JobFailed':
    case 'JobRetried':
      return true;
    case 'PlanStatusChanged':
      return event.data.planningStatus === 'complete';
    case 'PhaseEnded': {
      const { result } = event.data;
      return result.kind === 'completed' && (CHANGED.test(result.outcome) || INVALID.test(result.outcome));
    }
    default:
      return false;
  }
}

/** Applies one event to the assessments of plans. The rows of a plan are one item. */
export function evolveAssessments(
  assessments: Rows<readonly StageAssessmentRow[]>,
  phases: Rows<PhaseRow>,
  job: JobView,
  change: ViewChange,
): void {
  const { jobId, event, recordedAt } = change;
  if (!mayChangeAssessments(event)) return;
  const rows = assessments.get(jobId) ?? [];
  if (event.type === 'StageAssessed') {
    const { stage, confidence } = event.data;
    const model = change.phase === undefined ? undefined : phases.get(phaseKey(jobId, change.phase))?.model;
    assessments.set(jobId, [
      // What is made from an earlier draft of the stage is outdated too.
      ...decide(rows, 'replaced', recordedAt, (row) => isFrom(row, stage)),
      {
        ...{ job_id: jobId, number: rows.length + 1, tenant: job.tenant, agent: job.agent, model: model ?? null },
        ...{ stage, confidence, assessed_at: recordedAt, outcome: null, decided_at: null },
      },
    ]);
  } else if (rows.length > 0) assessments.set(jobId, decideByEvent(rows, event, recordedAt));
}

function decideByEvent(
  rows: readonly StageAssessmentRow[],
  event: ViewEvent,
  decidedAt: string,
): readonly StageAssessmentRow[] {
  switch (event.type) {
    case 'PlanStatusChanged':
      return decide(rows, 'approved', decidedAt, () => true);
    case 'JobCancelled':
      return decide(rows, 'aborted', decidedAt, () => true);
    case 'JobFailed':
      // A blocked job continues when a person retries it.
      return event.data.end === 'blocked' ? rows : decide(rows, 'aborted', decidedAt, () => true);
    case 'JobRetried':
      return rows.map((row) => (row.outcome === 'aborted' ? { ...row, outcome: null, decided_at: null } : row));
    case 'PhaseEnded': {
      const { result } = event.data;
      if (result.kind !== 'completed') return rows;
      // Only the stage that was assessed last is validated.
      if (INVALID.test(result.outcome)) return decide(rows, 'invalid', decidedAt, (row) => row === rows.at(-1));
      const stage = CHANGED.exec(result.outcome)?.[1];
      return stage === undefined ? rows : decide(rows, 'changed', decidedAt, (row) => isFrom(row, stage));
    }
    default:
      return rows;
  }
}

/** Whether a row is about a stage or one that is made from it. */
function isFrom({ stage }: StageAssessmentRow, first: string): boolean {
  const order: readonly string[] = stages;
  return order.indexOf(stage) >= order.indexOf(first);
}

function decide(
  rows: readonly StageAssessmentRow[],
  outcome: StageOutcome,
  decidedAt: string,
  isConcerned: (row: StageAssessmentRow) => boolean,
): readonly StageAssessmentRow[] {
  return rows.map((row) =>
    row.outcome === null && isConcerned(row) ? { ...row, outcome, decided_at: decidedAt } : row,
  );
}
