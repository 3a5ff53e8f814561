import { phaseStream, type PhaseState } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import { describeFailure } from './describe-failure.js';
import { genAi, own, toPhaseSpanId, toRootSpanId, toTraceId, type EndedSpan } from '@phaseline/telemetry';

/** Describes the span of a phase that has ended. `first` and `last` are the first and the last event of its stream. */
export function describePhase(state: PhaseState, first: RecordedEvent, last: RecordedEvent): EndedSpan {
  const { jobId, phase, agent, kind, state: workflowState } = state.start.identity;
  const { end, money } = state;
  return {
    ids: { traceId: toTraceId(jobId), spanId: toPhaseSpanId(jobId, phase) },
    parentSpanId: toRootSpanId(jobId),
    name: `invoke_agent ${agent.name}`,
    kind: 'internal',
    startMs: Date.parse(first.recordedAt),
    endMs: Date.parse(last.recordedAt),
    attributes: {
      [genAi.operationName]: 'invoke_agent',
      [genAi.agentName]: agent.name,
      [genAi.conversationId]: phaseStream(jobId, phase),
      [genAi.inputTokens]: money.spending.inputTokens,
      [genAi.outputTokens]: money.spending.outputTokens,
      [genAi.cachedInputTokens]: money.spending.cachedInputTokens,
      [own.costMicroUsd]: money.spending.costMicroUsd,
      [own.phaseNumber]: phase,
      [own.phaseState]: workflowState,
      [own.phaseKind]: kind,
      [own.phaseOutcome]: end?.kind === 'completed' ? end.outcome : end?.kind,
    },
    error: end?.kind === 'failed' ? { type: end.code, ...describeFailure(jobId, end.message) } : undefined,
  };
}
