import type { Completion, JobEventData, JobState, PhaseKind, Spending } from '@phaseline/domain';
import type { ToolLane, CallId, JobId } from '@phaseline/contracts';

/** Status of a job as shown to people. `cancelling`: its end was requested but has not happened yet. */
export type JobViewStatus = JobState['status'] | 'cancelling' | 'waiting-for-approval' | 'waiting-for-input';

/** A tool call that was requested and has not ended. */
export interface OpenCall {
  readonly callId: CallId;
  readonly name: string;
  readonly lane: ToolLane;
}

/** The current or last phase of a job. */
export interface PhaseView {
  readonly number: number;
  readonly kind: PhaseKind;
  readonly state: string;
  readonly name: string;
  /** Whether the phase has ended. */
  readonly hasEnded: boolean;
  readonly todosDone: number;
  readonly todosTotal: number;
  /** Open calls in the order requested; the first one is shown as running. */
  readonly openCalls: readonly OpenCall[];
  /** Calls that wait for approval. */
  readonly awaitingApproval: readonly WaitingCall[];
  /** Calls whose question waits for an answer. */
  readonly awaitingAnswer: readonly WaitingCall[];
  /** Todos that the agent cannot do at present. */
  readonly blockedTodos: readonly BlockedTodo[];
}

/** A blocked todo without its reason: the read model contains nothing that encrypted jobs encrypt. */
export interface BlockedTodo {
  readonly todoId: number;
  /** Position of the event that blocked it. The inbox is ordered by it. */
  readonly position: number;
  readonly blockedAt: string;
}

/** A call that waits for a person. */
export interface WaitingCall extends OpenCall {
  /** Position of the event with which the wait began. The inbox is ordered by it. */
  readonly position: number;
  readonly askedAt: string;
  readonly deadlineAt: string;
}

/** What a job waits for, and since when without interruption. */
export interface JobWait {
  /**
   * A person: `approval`, `question`, `todo` (one is blocked), `pause`, `blocked` (the job ended so) · `child`: a child job ·
   * `orchestrator`: a slot, an import, a timer or a decision · `worker`: a model call or a tool
   */
  readonly kind: 'approval' | 'question' | 'todo' | 'pause' | 'blocked' | 'child' | 'orchestrator' | 'worker';
  readonly since: string;
}

/** A job as shown in lists and progress displays: the fold of its events, stored as a row of the read model `jobs`. */
export interface JobView extends Readonly<Spending> {
  readonly jobId: JobId;
  /** Position of `JobSubmitted`; lists are ordered by it. */
  readonly submittedPosition: number;
  /** Position of the last event that the view includes. */
  readonly position: number;
  readonly tenant: string;
  readonly agent: string;
  /** The agent to use from the next phase on, if a change was requested. */
  readonly nextAgent?: string;
  readonly status: JobViewStatus;
  readonly labels: Readonly<Record<string, string>>;
  /** Times are ISO 8601 in UTC with microseconds, as in the log. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly endedAt?: string;
  readonly phase?: PhaseView;
  /** Absent if the job has ended otherwise than blocked. */
  readonly wait?: JobWait;
  readonly result?: Completion;
  readonly failure?: Omit<JobEventData<'JobFailed'>, 'end'>;
  /**
   * Why the job cannot be read to its end, if so; the other members then show the state before the unreadable event.
   * Not a column of the table.
   */
  readonly unreadable?: string;
}

/** Returns the tool that is running now, if any. */
export function findCurrentTool(phase: PhaseView): string | undefined {
  return phase.openCalls[0]?.name;
}
