import type { JobId } from '@phaseline/contracts';
import type { ReadModel, Row } from '../models/read-model.js';
import type { JobView, JobWait, PhaseView } from './job-view.js';

export const jobsModel: ReadModel = {
  name: 'jobs',
  key: ['job_id'],
  columns: [
    'submitted_position',
    'position',
    'tenant',
    'agent',
    'next_agent',
    'status',
    'labels',
    'created_at',
    'updated_at',
    'ended_at',
    'phase_number',
    'phase_kind',
    'phase_state',
    'phase_name',
    'phase_ended',
    'todos_done',
    'todos_total',
    'open_calls',
    'awaiting_approval',
    'awaiting_answer',
    'blocked_todos',
    'waits_for',
    'waiting_since',
    'input_tokens',
    'cached_input_tokens',
    'output_tokens',
    'cost_micro_usd',
    'steps',
    'result',
    'failure',
  ],
  jsonColumns: ['labels', 'open_calls', 'awaiting_approval', 'awaiting_answer', 'blocked_todos', 'result', 'failure'],
  immutableColumns: ['submitted_position', 'tenant', 'labels', 'created_at'],
};

/**
 * Returns an SQL expression that selects a time as text in the format of the log, because a JavaScript Date has no
 * microseconds.
 */
export const selectTime = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS ${column}`;

const timeColumns = ['created_at', 'updated_at', 'ended_at', 'waiting_since'];

/** SQL select list of a JobRow. */
export const JOB_COLUMNS = [...jobsModel.key, ...jobsModel.columns]
  .map((column) => (timeColumns.includes(column) ? selectTime(column) : column))
  .join(', ');

/** A row of the read model `jobs` as node-postgres returns it: bigint as text. */
export interface JobRow {
  readonly job_id: JobId;
  readonly submitted_position: string;
  readonly position: string;
  readonly tenant: string;
  readonly agent: string;
  readonly next_agent: string | null;
  readonly status: JobView['status'];
  readonly labels: JobView['labels'];
  readonly created_at: string;
  readonly updated_at: string;
  readonly ended_at: string | null;
  readonly phase_number: number | null;
  readonly phase_kind: PhaseView['kind'];
  readonly phase_state: string;
  readonly phase_name: string;
  readonly phase_ended: boolean;
  readonly todos_done: number;
  readonly todos_total: number;
  readonly open_calls: PhaseView['openCalls'];
  readonly awaiting_approval: PhaseView['awaitingApproval'];
  readonly awaiting_answer: PhaseView['awaitingAnswer'];
  readonly blocked_todos: PhaseView['blockedTodos'];
  readonly waits_for: JobWait['kind'] | null;
  readonly waiting_since: string | null;
  readonly input_tokens: string;
  readonly cached_input_tokens: string;
  readonly output_tokens: string;
  readonly cost_micro_usd: string;
  readonly steps: string;
  readonly result: NonNullable<JobView['result']> | null;
  readonly failure: NonNullable<JobView['failure']> | null;
}

export function rowToView(row: JobRow): JobView {
  return {
    jobId: row.job_id,
    submittedPosition: Number(row.submitted_position),
    position: Number(row.position),
    tenant: row.tenant,
    agent: row.agent,
    ...(row.next_agent === null ? {} : { nextAgent: row.next_agent }),
    status: row.status,
    labels: row.labels,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.phase_number === null ? {} : { phase: phaseOfRow(row, row.phase_number) }),
    ...(row.waits_for === null || row.waiting_since === null
      ? {}
      : { wait: { kind: row.waits_for, since: row.waiting_since } }),
    inputTokens: Number(row.input_tokens),
    cachedInputTokens: Number(row.cached_input_tokens),
    outputTokens: Number(row.output_tokens),
    costMicroUsd: Number(row.cost_micro_usd),
    steps: Number(row.steps),
    ...(row.result === null ? {} : { result: row.result }),
    ...(row.failure === null ? {} : { failure: row.failure }),
  };
}

function phaseOfRow(row: JobRow, number: number): PhaseView {
  return {
    number,
    kind: row.phase_kind,
    state: row.phase_state,
    name: row.phase_name,
    hasEnded: row.phase_ended,
    todosDone: row.todos_done,
    todosTotal: row.todos_total,
    openCalls: row.open_calls,
    awaitingApproval: row.awaiting_approval,
    awaitingAnswer: row.awaiting_answer,
    blockedTodos: row.blocked_todos,
  };
}

/** Converts a view to a row. */
export function viewToRow(view: JobView): Row {
  const { phase } = view;
  return {
    job_id: view.jobId,
    submitted_position: view.submittedPosition,
    position: view.position,
    tenant: view.tenant,
    agent: view.agent,
    next_agent: view.nextAgent,
    status: view.status,
    labels: view.labels,
    created_at: view.createdAt,
    updated_at: view.updatedAt,
    ended_at: view.endedAt,
    phase_number: phase?.number,
    phase_kind: phase?.kind,
    phase_state: phase?.state,
    phase_name: phase?.name,
    phase_ended: phase?.hasEnded,
    todos_done: phase?.todosDone,
    todos_total: phase?.todosTotal,
    open_calls: phase?.openCalls ?? [],
    awaiting_approval: phase?.awaitingApproval ?? [],
    awaiting_answer: phase?.awaitingAnswer ?? [],
    blocked_todos: phase?.blockedTodos ?? [],
    waits_for: view.wait?.kind,
    waiting_since: view.wait?.since,
    steps: view.steps,
    input_tokens: view.inputTokens,
    cached_input_tokens: view.cachedInputTokens,
    output_tokens: view.outputTokens,
    cost_micro_usd: view.costMicroUsd,
    result: view.result,
    failure: view.failure,
  };
}
