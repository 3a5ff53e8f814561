import type {
  EventId,
  JobId,
  LearningAction,
  LearningReason,
  LearningTraceScope,
  LearningTraceSource,
  LearningTraceType,
} from '@phaseline/contracts';

/** What an event of a job teaches, without the job that it belongs to. */
export interface Lesson {
  readonly type: LearningTraceType;
  readonly source: LearningTraceSource;
  readonly action: LearningAction;
  readonly reason: LearningReason;
  readonly context: {
    readonly agent: string;
    /** Id of the item of the loop. */
    readonly feature?: string;
    /** Number of the current todo in its phase. */
    readonly todo?: number;
    /** What the agent was to do. */
    readonly task?: string;
  };
  readonly event: {
    readonly happened: string;
    /** What would have been correct, or what was done instead. */
    readonly correct?: string;
    readonly why?: string;
  };
}

/** A learning trace as stored: one event of a job. */
export interface LearningTrace extends Lesson {
  /** Id of the event. */
  readonly id: EventId;
  readonly tenant: string;
  /** The label `project` of the submission, else the URL of its repository, else its agent. */
  readonly project: string;
  readonly scope: LearningTraceScope;
  /** ISO time of the event. */
  readonly timestamp: string;
  readonly jobId: JobId;
  /** Absent for events of the job itself. */
  readonly phase?: number;
  /** Position of the event in the log. Lists are ordered by it. */
  readonly position: number;
}
