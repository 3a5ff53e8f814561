/** The stream of a job's own life: submitted, phases dispatched and ended, completed. */
export function jobStream(jobId: string): string {
  return `job-${jobId}`;
}

/** The stream of one phase: its conversation, todos, tool calls and files. Phases are numbered from 1. */
export function phaseStream(jobId: string, phase: number): string {
  return `phase-${jobId}-${phase}`;
}

export type StreamName =
  | { readonly kind: 'job'; readonly jobId: string }
  | { readonly kind: 'phase'; readonly jobId: string; readonly phase: number };

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const JOB = new RegExp(`^job-(${UUID})$`);
const PHASE = new RegExp(`^phase-(${UUID})-([1-9][0-9]*)$`);

/** The parts of a stream's name; `undefined` for a stream that is neither a job nor a phase. */
export function parseStreamName(streamId: string): StreamName | undefined {
  const job = JOB.exec(streamId);
  if (job) return { kind: 'job', jobId: job[1]! };
  const phase = PHASE.exec(streamId);
  if (phase) return { kind: 'phase', jobId: phase[1]!, phase: Number(phase[2]) };
  return undefined;
}
