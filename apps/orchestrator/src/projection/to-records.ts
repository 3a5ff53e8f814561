import type { PhaseRecord, ToolCallRecord } from '@phaseline/client';
import type { PhaseRow, ToolCallRow } from '@phaseline/projections';

/** Converts a phase to its API form. */
export function toPhaseRecord(row: PhaseRow): PhaseRecord {
  const { attempt, kind, state, name, status, rejections, takeovers, steps } = row;
  return {
    jobId: row.job_id,
    phase: row.phase,
    attempt,
    kind,
    state,
    name,
    ...(row.model === null ? {} : { model: row.model }),
    status,
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
    todosDone: row.todos_done,
    todosTotal: row.todos_total,
    rejections,
    takeovers,
    usage: {
      steps,
      inputTokens: row.input_tokens,
      cachedInputTokens: row.cached_input_tokens,
      outputTokens: row.output_tokens,
      costMicroUsd: row.cost_micro_usd,
    },
    startedAt: row.started_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  };
}

/** Converts a tool call to its API form. */
export function toToolCallRecord(row: ToolCallRow): ToolCallRecord {
  const { position, step, name, status } = row;
  return {
    jobId: row.job_id,
    phase: row.phase,
    callId: row.call_id,
    position,
    step,
    name,
    ...(row.lane === null ? {} : { lane: row.lane }),
    ...(row.effect === null ? {} : { effect: row.effect }),
    status,
    ...(row.code === null ? {} : { code: row.code }),
    ...(row.result === null ? {} : { result: row.result }),
    ...(row.attempts === null ? {} : { attempts: row.attempts }),
    ...(row.duration_ms === null ? {} : { durationMs: row.duration_ms }),
    requestedAt: row.requested_at,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  };
}
