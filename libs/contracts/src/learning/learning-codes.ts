/** A refusal or a failure · what a person allowed or answered · a choice: of a judge, among options, or of a person who directs an agent. */
export const learningTraceTypes = ['violation', 'approval', 'decision'] as const;
export type LearningTraceType = (typeof learningTraceTypes)[number];

/** Whether the machine refused something, a person corrected or decided something, or it was noticed otherwise. */
export const learningTraceSources = ['enforcement_hook', 'user_correction', 'auto_detected'] as const;
export type LearningTraceSource = (typeof learningTraceSources)[number];

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
  'reflect',
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
  'attempt_failed',
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

/** Maximum characters of each text of a learning trace. */
export const MAX_TRACE_TEXT = 2_000;

/** Name of the tool with which agents add learning traces. Its recorded call is the trace. */
export const STORE_TRACE = 'store_trace';
