import type { EventId, JobId } from '@phaseline/contracts';

/** A refusal or a failure · what a person allowed or answered · a choice: of a judge, among options, or of a person who directs an agent. */
export const learningTraceTypes = ['violation', 'approval', 'decision'] as const;
export type LearningTraceType = (typeof learningTraceTypes)[number];

/** Whether the machine refused something, a person corrected or decided something, or it was noticed otherwise. */
type LearningTraceSource = 'enforcement_hook' | 'user_correction' | 'auto_detected';

/** Where a learning trace may be read by agents, within its tenant: in its own job, in its project, or in every job. */
export const learningTraceScopes = ['job', 'project', 'universal'] as const;
export type LearningTraceScope = (typeof learningTraceScopes)[number];

/** What was done. Stored; a code is never renamed or removed. */
export const learningActions = [
  'call_tool',
  'write_file',
  'run_command',
  'mark_tested_true',
  'complete_todo',
  'end_phase',
  'hand_in_items',
  'hand_over',
  'repeat_steps',
  'work_on_item',
  'run_verifier',
  'ask_question',
  'steer',
  'edit_file',
  'override_guard',
  'promote_trace',
  'note',
] as const;
export type LearningAction = (typeof learningActions)[number];

/** Why it ended as it did. Stored; a code is never renamed or removed. */
export const learningReasons = [
  // Denials of calls, with the codes of their events.
  'unknown_tool',
  'not_offered',
  'malformed_arguments',
  'bad_arguments',
  'response_truncated',
  'too_many_calls',
  'guard_denied',
  // Refusals of claims, ends and handoffs.
  'check_failed',
  'verifier_failed',
  'empty_data',
  'judge_objected',
  'gate_rejected',
  'list_refused',
  'handoff_refused',
  'handoff_timed_out',
  // What was noticed.
  'stuck',
  'rolled_back',
  'judge_agreed',
  'judge_unreadable',
  // What a person decided.
  'person_refused',
  'approval_expired',
  'person_amended',
  'person_approved',
  'person_answered',
  'person_chose',
  'person_steered',
  'person_edited',
  'person_overrode',
  'person_promoted',
  'other',
] as const;
export type LearningReason = (typeof learningReasons)[number];

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

/** Maximum characters of each text of a learning trace. */
export const MAX_TRACE_TEXT = 2_000;
