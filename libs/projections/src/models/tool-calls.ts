import type { ToolEffect, ToolLane, JobId, CallId } from '@phaseline/contracts';
import type { JsonObject } from '@phaseline/basics';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange } from '../log/view-events.js';
import { phaseOf } from './phases.js';
import type { ReadModel } from './read-model.js';
import type { Rows } from './rows.js';

export const toolCallsModel: ReadModel = {
  name: 'tool_calls',
  key: ['job_id', 'phase', 'call_id'],
  columns: [
    'position',
    'step',
    'name',
    'lane',
    'effect',
    'status',
    'code',
    'result',
    'attempts',
    'duration_ms',
    'requested_at',
    'started_at',
    'ended_at',
  ],
  jsonColumns: ['result'],
};

type ToolCallStatus =
  'waiting-for-approval' | 'waiting-for-input' | 'open' | 'completed' | 'failed' | 'denied' | 'refused' | 'interrupted';

export interface ToolCallRow {
  readonly job_id: JobId;
  readonly phase: number;
  readonly call_id: CallId;
  readonly position: number;
  readonly step: number;
  readonly name: string;
  readonly lane: ToolLane | null;
  readonly effect: ToolEffect | null;
  readonly status: ToolCallStatus;
  readonly code: string | null;
  readonly result: JsonObject | null;
  readonly attempts: number | null;
  readonly duration_ms: number | null;
  readonly requested_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export function toolCallKey(jobId: JobId, phase: number, callId: CallId): string {
  return `${jobId}/${phase}/${callId}`;
}

/**
 * Returns the calls whose rows a change may update, apart from those it creates. `before` is the job before the change.
 */
export function findTouchedCalls(before: JobView | undefined, change: ViewChange): readonly CallId[] {
  const { event } = change;
  switch (event.type) {
    case 'ApprovalGranted':
    case 'ApprovalRefused':
    case 'QuestionAsked':
    case 'QuestionAnswered':
    case 'QuestionTimedOut':
    case 'ToolCallStarted':
    case 'ToolCallCompleted':
    case 'ToolCallFailed':
      return [event.data.callId];
    case 'PhaseEnded':
    case 'PhaseCompleted':
    case 'PhaseFailed':
    case 'PhaseCancelled': {
      const phase = before?.phase;
      if (!phase || phase.number !== phaseOf(change)) return [];
      return [...phase.openCalls, ...phase.awaitingApproval, ...phase.awaitingAnswer].map(({ callId }) => callId);
    }
    default:
      return [];
  }
}

/** Applies one event to the rows of tool calls. */
export function evolveToolCalls(rows: Rows<ToolCallRow>, before: JobView | undefined, change: ViewChange): void {
  const { jobId, event } = change;
  const phase = phaseOf(change);
  if (phase === undefined) return;
  if (event.type === 'ToolCallRequested' || event.type === 'ApprovalRequested' || event.type === 'ToolCallDenied') {
    const key = toolCallKey(jobId, phase, event.data.callId);
    rows.set(key, createRow(change, phase, event));
    return;
  }
  for (const callId of findTouchedCalls(before, change)) {
    const key = toolCallKey(jobId, phase, callId);
    const row = rows.get(key);
    const next = row && updateRow(row, change);
    if (next) rows.set(key, next);
  }
}

type CallCreated = Extract<ViewChange['event'], { type: 'ToolCallRequested' | 'ApprovalRequested' | 'ToolCallDenied' }>;

function createRow({ jobId, position, recordedAt }: ViewChange, phase: number, event: CallCreated): ToolCallRow {
  const { callId, step, name } = event.data;
  const isDenied = event.type === 'ToolCallDenied';
  return {
    job_id: jobId,
    phase,
    call_id: callId,
    position,
    step,
    name,
    lane: isDenied ? null : event.data.lane,
    effect: isDenied ? null : event.data.effect,
    status: isDenied ? 'denied' : event.type === 'ApprovalRequested' ? 'waiting-for-approval' : 'open',
    code: isDenied ? event.data.code : null,
    result: null,
    attempts: null,
    duration_ms: null,
    requested_at: recordedAt,
    started_at: null,
    ended_at: isDenied ? recordedAt : null,
  };
}

function updateRow(row: ToolCallRow, { event, recordedAt }: ViewChange): ToolCallRow | undefined {
  switch (event.type) {
    case 'QuestionAsked':
      return { ...row, status: 'waiting-for-input' };
    case 'ApprovalGranted':
    case 'QuestionAnswered':
    case 'QuestionTimedOut':
      return { ...row, status: 'open' };
    case 'ApprovalRefused':
      return { ...row, status: 'refused', ended_at: recordedAt };
    case 'ToolCallStarted':
      return { ...row, started_at: recordedAt };
    case 'ToolCallCompleted':
    case 'ToolCallFailed': {
      const { attempts, durationMs: duration_ms, result } = event.data;
      const ended = { ...row, result: visibleResult(result), attempts, duration_ms, ended_at: recordedAt };
      return event.type === 'ToolCallCompleted'
        ? { ...ended, status: 'completed' }
        : { ...ended, status: 'failed', code: event.data.code };
    }
    default:
      return row.ended_at === null ? { ...row, status: 'interrupted', ended_at: recordedAt } : undefined;
  }
}

/** Returns the structured result of a call; null if it has none, or if its job is encrypted and the result is redacted to `{}`. */
function visibleResult(result: JsonObject | undefined): JsonObject | null {
  return result && Object.keys(result).length > 0 ? result : null;
}
