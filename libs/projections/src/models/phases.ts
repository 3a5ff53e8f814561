import type { JobId } from '@phaseline/contracts';
import type { PhaseKind, Todo } from '@phaseline/domain';
import type { ViewChange } from '../log/view-events.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';
import { addSpending, noSpending, spendingColumns, type SpendingRow } from './spending-row.js';

export const phasesModel: ReadModel = {
  name: 'phases',
  key: ['job_id', 'phase'],
  columns: [
    'attempt',
    'kind',
    'state',
    'name',
    'model',
    'status',
    'outcome',
    'todos_done',
    'todos_total',
    'rejections',
    'takeovers',
    ...spendingColumns,
    'started_at',
    'ended_at',
  ],
};

export interface PhaseRow extends SpendingRow {
  readonly job_id: JobId;
  readonly phase: number;
  readonly attempt: number;
  readonly kind: PhaseKind;
  readonly state: string;
  readonly name: string;
  readonly model: string | null;
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly outcome: string | null;
  readonly todos_done: number;
  readonly todos_total: number;
  readonly rejections: number;
  readonly takeovers: number;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export function phaseKey(jobId: JobId, phase: number): string {
  return `${jobId}/${phase}`;
}

/** Returns the number of the phase that a change concerns, if any. */
export function phaseOf({ phase, event }: ViewChange): number | undefined {
  if (event.type === 'JobForked') return event.data.carried.phase?.number;
  return phase ?? (event.type === 'PhaseDispatched' || event.type === 'PhaseEnded' ? event.data.phase : undefined);
}

/** Applies one event to the rows of phases. */
export function evolvePhases(rows: Rows<PhaseRow>, change: ViewChange): void {
  const phase = phaseOf(change);
  if (phase === undefined) return;
  const key = phaseKey(change.jobId, phase);
  const row = rows.get(key);
  const next = row ? updateRow(row, change) : createRow(change, phase);
  if (next) rows.set(key, next);
}

/**
 * Creates the row of a phase. Both the job's stream and the phase's own record its start, in one commit and in either
 * order.
 */
function createRow({ jobId, event, recordedAt }: ViewChange, phase: number): PhaseRow | undefined {
  const start = startOf(event);
  if (!start) return undefined;
  return {
    job_id: jobId,
    phase,
    ...start,
    status: 'running',
    outcome: null,
    rejections: 0,
    takeovers: 0,
    ...noSpending,
    started_at: recordedAt,
    ended_at: null,
  };
}

type Start = Pick<PhaseRow, 'attempt' | 'kind' | 'state' | 'name' | 'model' | 'todos_done' | 'todos_total'>;

function startOf(event: ViewChange['event']): Start | undefined {
  switch (event.type) {
    case 'PhaseStarted': {
      const { identity, terms, plan } = event.data;
      return buildStart(identity, plan.todos, terms.model);
    }
    case 'PhaseDispatched':
      return buildStart(event.data, event.data.todos, null);
    case 'JobForked': {
      // The phase in which a fork continues. Only the parent records its attempt and its model.
      const { phase } = event.data.carried;
      if (!phase) return undefined;
      const { kind, state, name, todosDone, todosTotal } = phase;
      return { attempt: 1, kind, state, name, model: null, todos_done: todosDone, todos_total: todosTotal };
    }
    default:
      return undefined;
  }
}

function buildStart(
  { attempt, kind, state, name }: Pick<Start, 'attempt' | 'kind' | 'state' | 'name'>,
  todos: readonly Todo[],
  model: string | null,
): Start {
  const todos_done = todos.filter((todo) => todo.status === 'done').length;
  return { attempt, kind, state, name, model, todos_done, todos_total: todos.length };
}

function updateRow(row: PhaseRow, { event, recordedAt }: ViewChange): PhaseRow | undefined {
  switch (event.type) {
    case 'PhaseStarted':
      return { ...row, model: event.data.terms.model };
    case 'ModelResponded':
    case 'ConversationSummarised':
    case 'JudgeEnded':
    case 'ReflectionRecorded':
      return addSpending(row, event);
    case 'TodoAdded':
      return { ...row, todos_total: row.todos_total + 1 };
    case 'TodoCompleted':
      return { ...row, todos_done: row.todos_done + 1 };
    case 'TransitionRejected':
      return { ...row, rejections: row.rejections + 1, todos_done: Math.min(row.todos_done, row.todos_total - 1) };
    case 'PhaseTakenOver':
      return { ...row, takeovers: row.takeovers + 1 };
    case 'PhaseCompleted':
      return { ...row, status: 'completed', outcome: event.data.outcome, ended_at: recordedAt };
    case 'PhaseFailed':
      return { ...row, status: 'failed', outcome: event.data.code, ended_at: recordedAt };
    case 'PhaseCancelled':
      return { ...row, status: 'cancelled', ended_at: recordedAt };
    case 'PhaseEnded': {
      // Normally the phase's own stream has already recorded the end. If it could not, the job's stream records it.
      if (row.status !== 'running') return undefined;
      const { result } = event.data;
      const outcome =
        result.kind === 'completed' ? result.outcome : result.kind === 'failed' ? result.failure.code : null;
      return { ...row, status: result.kind, outcome, ended_at: recordedAt };
    }
    default:
      return undefined;
  }
}
