import type { PhaseEvent } from '../phase/phase-events.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import { hasCallEnded } from '../phase/state/calls.js';
import { NO_MESSAGES } from '../phase/state/person-messages.js';
import { listOpenObligations } from '../todo/obligation.js';
import type { JobEventData } from './job-events.js';
import type { JobState } from './job-state.js';

/** Cancels a phase. Every open call gets a result that reports the cancellation, because a valid history has a result for every call. */
export function closePhase(phase: PhaseState, reason: string): readonly PhaseEvent[] {
  const closed = listCalls(phase)
    .filter((call) => !hasCallEnded(call))
    .map((call): PhaseEvent => ({
      type: 'ToolCallFailed',
      data: {
        callId: call.callId,
        code: 'cancelled',
        message: 'The job was stopped before this call finished.',
        attempts: 0,
        durationMs: 0,
      },
    }));
  return [...closed, { type: 'PhaseCancelled', data: { reason } }];
}

/**
 * Builds the job's record of an ended phase. For a phase `cancelled` by this decision, it contains what the phase has used so far. Only
 * a list that the agent planned leaves obligations: the workflow that wrote a list also decides what follows when it is left open.
 */
export function buildPhaseEnded(
  { definition, sent = [] }: Pick<JobState, 'definition' | 'sent'>,
  phase: PhaseState,
  by?: 'cancelled',
): JobEventData<'PhaseEnded'> {
  const { end, money, modelCall } = phase;
  const { read } = phase.conversation.messages ?? NO_MESSAGES;
  const isPlanned = definition.workflow.states[phase.start.identity.state]?.todos === 'from-file';
  const costMicroUsd = money.unconfirmed.costMicroUsd + (modelCall.open?.reservedMicroUsd ?? 0);
  const tokens = money.unconfirmed.tokens + (modelCall.open?.reservedTokens ?? 0);
  const base = {
    phase: phase.start.identity.phase,
    spending: money.spending,
    ...(costMicroUsd > 0 || tokens > 0 ? { unconfirmed: { costMicroUsd, tokens } } : {}),
    ...(phase.turn ? { turn: phase.turn } : {}),
    ...(read < sent.length ? { read } : {}),
  };
  if (end?.kind === 'completed') {
    const openTodos = isPlanned ? listOpenObligations(phase.start.identity.phase, phase.todos.list) : [];
    return {
      ...base,
      result: { kind: 'completed', outcome: end.outcome },
      ...(end.completion ? { completion: end.completion } : {}),
      ...(end.rewound ? { rewound: end.rewound } : {}),
      ...(openTodos.length > 0 ? { openTodos: [...openTodos] } : {}),
    };
  }
  if (end?.kind === 'failed') {
    const { code, message, retryable } = end;
    return { ...base, result: { kind: 'failed', failure: { code, message }, retryable } };
  }
  if (!end && by === undefined) throw new Error(`phase ${phase.start.identity.phase} has not ended`);
  return { ...base, result: { kind: 'cancelled' } };
}
