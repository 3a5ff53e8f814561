import { isJobId, toTraceId } from './job-ids.js';
import { getActiveIds } from './work-span.js';

/**
 * Returns the fields of a log line that name its trace: `trace_id` if the line concerns a job, also while telemetry is off, and `span_id`
 * if a span of that job is active.
 */
export function getTraceFields(line: object): { readonly trace_id?: string; readonly span_id?: string } {
  const active = getActiveIds();
  const jobId = 'jobId' in line && isJobId(line.jobId) ? line.jobId : undefined;
  const traceId = jobId === undefined ? active?.traceId : toTraceId(jobId);
  if (traceId === undefined) return {};
  return active?.traceId === traceId ? { trace_id: traceId, span_id: active.spanId } : { trace_id: traceId };
}
