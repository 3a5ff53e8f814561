import { keep, type ChangeEvent } from './changed-groups.js';

/** Counts over the whole phase, which no shortening of the conversation changes. For the summary in the archive. */
export interface PhaseTally {
  /** Number of calls that completed, and that failed. */
  readonly completedCalls: number;
  readonly failedCalls: number;
  /** Number of calls that were denied and not run. */
  readonly deniedCalls: number;
  /** Number of calls that a person refused, or whose approval expired. */
  readonly refusedCalls: number;
  /** Number of times that a gate rejected the end of the phase. */
  readonly rejections: number;
  /** Time spent in answers of the model, and in calls, in milliseconds. Calls that ran side by side are added up. */
  readonly modelMs: number;
  readonly callMs: number;
}

export const NOTHING_COUNTED: PhaseTally = {
  completedCalls: 0,
  failedCalls: 0,
  deniedCalls: 0,
  refusedCalls: 0,
  rejections: 0,
  modelMs: 0,
  callMs: 0,
};

export function foldTally(tally: PhaseTally, event: ChangeEvent): PhaseTally {
  switch (event.type) {
    case 'ModelResponded':
    case 'ConversationSummarised':
    case 'JudgeEnded':
    case 'ReflectionRecorded':
      return { ...tally, modelMs: tally.modelMs + event.data.durationMs };
    case 'ToolCallCompleted':
      return {
        ...tally,
        completedCalls: tally.completedCalls + 1,
        callMs: tally.callMs + event.data.durationMs,
      };
    case 'ToolCallFailed':
      return { ...tally, failedCalls: tally.failedCalls + 1, callMs: tally.callMs + event.data.durationMs };
    case 'ToolCallDenied':
      return { ...tally, deniedCalls: tally.deniedCalls + 1 };
    case 'ApprovalRefused':
      return { ...tally, refusedCalls: tally.refusedCalls + 1 };
    case 'TransitionRejected':
      return { ...tally, rejections: tally.rejections + 1 };
    default:
      return keep(tally, 'tally', event);
  }
}
