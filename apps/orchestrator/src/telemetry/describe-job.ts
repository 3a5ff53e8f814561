import type { JobId } from '@phaseline/contracts';
import { decodeJobEvent, type JobState } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import {
  genAi,
  own,
  parseTraceparent,
  toPhaseSpanId,
  toRootSpanId,
  toRunSpanId,
  toTraceId,
  type EndedSpan,
  type SpanIds,
} from '@phaseline/telemetry';
import { describeFailure } from './describe-failure.js';

/**
 * Describes the span of a job that has ended with the last of these events, which are those of its stream. The first run of a job is the root
 * of its trace; a run after a retry is a span below it, because the root was written when the first one ended.
 */
export function describeJob(state: JobState, events: readonly RecordedEvent[]): EndedSpan | undefined {
  const [first] = events;
  const last = events.at(-1);
  if (!first || !last) return undefined;
  const { jobId, tenant } = state.submitted;
  const retries = events.filter(({ type }) => type === 'JobRetried');
  const rootId = toRootSpanId(jobId);
  const isFirstRun = retries.length === 0;
  const { agent, workflow } = state.definition;
  const { status, error } = describeEnd(jobId, last);
  return {
    ids: { traceId: toTraceId(jobId), spanId: isFirstRun ? rootId : toRunSpanId(jobId, retries.length + 1) },
    parentSpanId: isFirstRun ? undefined : rootId,
    name: `invoke_workflow ${workflow.name}`,
    kind: 'internal',
    startMs: Date.parse((retries.at(-1) ?? first).recordedAt),
    endMs: Date.parse(last.recordedAt),
    attributes: {
      [genAi.operationName]: 'invoke_workflow',
      [genAi.workflowName]: workflow.name,
      [genAi.agentName]: agent.name,
      [genAi.inputTokens]: state.spending.inputTokens,
      [genAi.outputTokens]: state.spending.outputTokens,
      [genAi.cachedInputTokens]: state.spending.cachedInputTokens,
      [own.costMicroUsd]: state.spending.costMicroUsd,
      [own.jobId]: jobId,
      [own.jobStatus]: status,
      [own.tenant]: tenant,
    },
    links: isFirstRun ? listCauses(state, first) : [],
    error,
  };
}

/** Reads the end from its event, because the job may have been retried since. */
function describeEnd(
  jobId: JobId,
  last: RecordedEvent,
): { readonly status: string; readonly error: EndedSpan['error'] } {
  const end = decodeJobEvent(last);
  if (end.type !== 'JobFailed')
    return { status: end.type === 'JobCompleted' ? 'completed' : 'cancelled', error: undefined };
  return {
    status: end.data.end ?? 'failed',
    error: { type: end.data.code, ...describeFailure(jobId, end.data.message) },
  };
}

/** What led to a job: the request that submitted it, the phase that delegated it, or the job that it was forked from. */
function listCauses({ submitted, fork }: JobState, { metadata }: RecordedEvent): readonly SpanIds[] {
  const { delegatedBy } = submitted;
  const caller = parseTraceparent(typeof metadata['traceparent'] === 'string' ? metadata['traceparent'] : undefined);
  return [
    ...(caller ? [caller] : []),
    ...(delegatedBy
      ? [{ traceId: toTraceId(delegatedBy.jobId), spanId: toPhaseSpanId(delegatedBy.jobId, delegatedBy.phase) }]
      : []),
    ...(fork ? [{ traceId: toTraceId(fork.parent.jobId), spanId: toRootSpanId(fork.parent.jobId) }] : []),
  ];
}
