import type { JobEventType, PhaseEventType } from '@phaseline/domain';

/** Events of a phase that may become learning traces. Of ended calls, only those of two tools do. */
export const tracedPhaseTypes: readonly PhaseEventType[] = [
  'ToolCallDenied',
  'ClaimRefused',
  'TransitionRejected',
  'ItemsRefused',
  'StuckDetected',
  'JudgeEnded',
  'ToolCallCompleted',
  'ApprovalRefused',
  'ToolCallAmended',
  'ApprovalGranted',
  'QuestionAnswered',
  'ReflectionRecorded',
];

/** Events of a job that become learning traces. */
export const tracedJobTypes: readonly JobEventType[] = [
  'HandoffRefused',
  'HandoffTimedOut',
  'HandoffRolledBack',
  'JobSteered',
  'WorkspaceEdited',
  'JobGuardOverridden',
];

/** Events of a job that learning traces refer to. */
export const jobContextTypes: readonly JobEventType[] = ['HandoffIssued', 'ItemStarted'];

/** Events of a phase that learning traces refer to. */
export const phaseContextTypes: readonly PhaseEventType[] = [
  'PhaseStarted',
  'PhaseForked',
  'TodoAdded',
  'TodoCompleted',
  'TodoBlocked',
  'TodoUnblocked',
  // The second part of a reflection is the learning trace; the first says what it is about.
  'ReflectionRecorded',
];

/** Events of a phase that learning traces of the same call refer to. */
export const callContextTypes: readonly PhaseEventType[] = [
  'ToolCallRequested',
  'ApprovalRequested',
  'QuestionAsked',
  'GuardDecided',
];
