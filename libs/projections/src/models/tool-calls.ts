import type { ToolEffect, ToolLane } from '@phaseline/domain';
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
    'attempts',
    'duration_ms',
    'requested_at',
    'started_at',
    'ended_at',
  ],
};

export const toolCallStatuses = ['waiting', 'open', 'completed', 'failed', 'denied', 'refused', 'cut'] as const;
export type ToolCallStatus = (typeof toolCallStatuses)[number];

export interface ToolCallRow {
  readonly job_id: string;
  readonly phase: number;
  readonly call_id: string;
  readonly position: number;
  readonly step: number;
  readonly name: string;
  readonly lane: ToolLane | null;
  readonly effect: ToolEffect | null;
  readonly status: ToolCallStatus;
  readonly code: string | null;
  readonly attempts: number | null;
  readonly duration_ms: number | null;
  readonly requested_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export function toolCallKey(jobId: string, phase: number, callId: string): string {
  return `${jobId}/${phase}/${callId}`;
}

/** The calls whose rows a change may touch, besides those that it begins. `before` is the job as it stood. */
export function touchedCalls(before: JobView | undefined, change: ViewChange): readonly string[] {
  const { event } = change;
  switch (event.type) {
    case 'ApprovalGranted':
    case 'ApprovalRefused':
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
      return [...phase.openCalls, ...phase.heldCalls].map(({ callId }) => callId);
    }
    default:
      return [];
  }
}

/** Folds one event into the rows of tool calls. */
export function evolveToolCalls(rows: Rows<ToolCallRow>, before: JobView | undefined, change: ViewChange): void {
  const { jobId, event } = change;
  const phase = phaseOf(change);
  if (phase === undefined) return;
  if (event.type === 'ToolCallRequested' || event.type === 'ApprovalRequested' || event.type === 'ToolCallDenied') {
    const key = toolCallKey(jobId, phase, event.data.callId);
    rows.set(key, begun(change, phase, event));
    return;
  }
  for (const callId of touchedCalls(before, change)) {
    const key = toolCallKey(jobId, phase, callId);
    const row = rows.get(key);
    const next = row && changed(row, change);
    if (next) rows.set(key, next);
  }
}

type Beginning = Extract<ViewChange['event'], { type: 'ToolCallRequested' | 'ApprovalRequested' | 'ToolCallDenied' }>;

function begun({ jobId, position, recordedAt }: ViewChange, phase: number, event: Beginning): ToolCallRow {
  const { callId, step, name } = event.data;
  const denied = event.type === 'ToolCallDenied';
  return {
    job_id: jobId,
    phase,
    call_id: callId,
    position,
    step,
    name,
    lane: denied ? null : event.data.lane,
    effect: denied ? null : event.data.effect,
    status: denied ? 'denied' : event.type === 'ApprovalRequested' ? 'waiting' : 'open',
    code: denied ? event.data.code : null,
    attempts: null,
    duration_ms: null,
    requested_at: recordedAt,
    started_at: null,
    ended_at: denied ? recordedAt : null,
  };
}

function changed(row: ToolCallRow, { event, recordedAt }: ViewChange): ToolCallRow | undefined {
  switch (event.type) {
    case 'ApprovalGranted':
      return { ...row, status: 'open' };
    case 'ApprovalRefused':
      return { ...row, status: 'refused', ended_at: recordedAt };
    case 'ToolCallStarted':
      return { ...row, started_at: recordedAt };
    case 'ToolCallCompleted': {
      const { attempts, durationMs } = event.data;
      return { ...row, status: 'completed', attempts, duration_ms: durationMs, ended_at: recordedAt };
    }
    case 'ToolCallFailed': {
      const { code, attempts, durationMs } = event.data;
      return { ...row, status: 'failed', code, attempts, duration_ms: durationMs, ended_at: recordedAt };
    }
    default:
      return row.ended_at === null ? { ...row, status: 'cut', ended_at: recordedAt } : undefined;
  }
}
