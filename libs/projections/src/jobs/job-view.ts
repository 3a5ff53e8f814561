import type { Completion, Failure, JobStatus, PhaseKind, ToolLane } from '@phaseline/domain';

/** What a job is at a glance. `cancelling`: its end was asked for and has not come about yet. */
export type JobViewStatus = JobStatus | 'cancelling';

/** A tool call that was requested and has not ended. */
export interface OpenCall {
  readonly callId: string;
  readonly name: string;
  readonly lane: ToolLane;
}

/** The phase that a job is in, or was in last. */
export interface PhaseView {
  readonly number: number;
  readonly kind: PhaseKind;
  readonly state: string;
  readonly name: string;
  /** It has had its last word. */
  readonly over: boolean;
  readonly todosDone: number;
  readonly todosTotal: number;
  /** In the order requested; the first one is the one that runs. */
  readonly openCalls: readonly OpenCall[];
  /** Calls that wait for a person. */
  readonly heldCalls: readonly OpenCall[];
}

/** A job as lists and progress displays show it: the fold of its events, kept as a row of the read model `jobs`. */
export interface JobView {
  readonly jobId: string;
  /** Of `JobSubmitted`; the order of lists. */
  readonly submittedPosition: number;
  /** Of the last event that is in the read models. */
  readonly position: number;
  readonly tenant: string;
  readonly agent: string;
  /** The agent it goes on by from the next phase on, where that was asked for. */
  readonly nextAgent?: string;
  readonly status: JobViewStatus;
  readonly labels: Readonly<Record<string, string>>;
  /** Times are ISO 8601 in UTC, with six digits of a second, as the log has them. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly endedAt?: string;
  readonly phase?: PhaseView;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly costMicroUsd: number;
  /** Model calls that were answered. */
  readonly steps: number;
  readonly result?: Completion;
  readonly failure?: Failure;
  /** Why the job cannot be read to its end, where that is so; the rest is as of right before. Not part of the rows. */
  readonly unreadable?: string;
}

/** The tool that a job runs now, if any. */
export function currentTool(phase: PhaseView): string | undefined {
  return phase.openCalls[0]?.name;
}
