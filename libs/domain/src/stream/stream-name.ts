import type { JobId, StreamId } from '@phaseline/contracts';

/** Name of a job's stream, with the events of the job itself: submission, dispatched and ended phases, completion. */
export function jobStream(jobId: JobId): StreamId {
  return `job-${jobId}`;
}

/** Name of a phase's stream, with its conversation, todos, tool calls and files. Phases are numbered from 1. */
export function phaseStream(jobId: JobId, phase: number): StreamId {
  return `phase-${jobId}-${phase}`;
}

export type StreamName =
  | { readonly kind: 'job'; readonly jobId: JobId }
  | { readonly kind: 'phase'; readonly jobId: JobId; readonly phase: number };

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const JOB = new RegExp(`^job-(${UUID})$`);
const PHASE = new RegExp(`^phase-(${UUID})-([1-9][0-9]*)$`);

/** Parses a stream name; `undefined` for a stream that belongs to neither a job nor a phase. */
export function parseStreamName(streamId: StreamId): StreamName | undefined {
  const job = JOB.exec(streamId);
  if (job) return { kind: 'job', jobId: job[1]! };
  const phase = PHASE.exec(streamId);
  if (phase) return { kind: 'phase', jobId: phase[1]!, phase: Number(phase[2]) };
  return undefined;
}
