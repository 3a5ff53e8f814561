import type { CallId, ProcessId } from '@phaseline/contracts';
import type { EditedResponse } from '../../fork/fork-mode.js';
import type { ModelCallPurpose } from '../model-events.js';
import type { PhaseEventData } from '../phase-events.js';
import { keep, type ChangeEvent } from './changed-groups.js';

export interface OpenModelCall {
  readonly step: number;
  readonly leaseOwner: ProcessId;
  readonly epoch: number;
  readonly reservedMicroUsd: number;
  readonly reservedTokens: number;
  readonly purpose?: ModelCallPurpose;
  /** The call of the system for which a judge is asked. */
  readonly callId?: CallId;
  /** Its reservation in the budget of a person for a day. */
  readonly daily?: PhaseEventData<'ModelCallStarted'>['daily'];
}

/** The call of the model, and which worker may make it. */
export interface PhaseModelCall {
  /** Number of takeovers of the phase. Appends of workers with an earlier epoch are rejected. */
  readonly epoch: number;
  /** Number of workers lost in a row during the open call. */
  readonly takeovers: number;
  readonly open?: OpenModelCall | undefined;
  /** Outage of the model server during which the open call is retried. */
  readonly awaited?: PhaseEventData<'ModelAwaited'> | undefined;
  /** In a fork: a response written by a person that replaces the next response of the model. */
  readonly editedResponse?: EditedResponse | undefined;
}

export const NO_MODEL_CALL: PhaseModelCall = { epoch: 0, takeovers: 0 };

export function foldModelCall(modelCall: PhaseModelCall, event: ChangeEvent): PhaseModelCall {
  switch (event.type) {
    case 'ModelCallStarted':
      return { ...modelCall, open: openCall(event.data) };
    case 'ModelCallFailed':
      return { ...modelCall, open: undefined };
    case 'ModelAwaited':
      return { ...modelCall, awaited: event.data };
    case 'ModelResponded':
      return { epoch: modelCall.epoch, takeovers: 0 };
    case 'ConversationSummarised':
    case 'JudgeEnded':
    case 'ReflectionRecorded':
      return { ...modelCall, takeovers: 0, open: undefined, awaited: undefined };
    case 'PhaseResumed':
      // A person who resumes the phase wants the model called now, with a full waiting time.
      return { ...modelCall, awaited: undefined };
    case 'PhaseTakenOver':
      return { ...modelCall, epoch: event.data.epoch, takeovers: modelCall.takeovers + 1, open: undefined };
    case 'PhaseCompleted':
    case 'PhaseFailed':
    case 'PhaseCancelled':
      return { ...modelCall, open: undefined, awaited: undefined };
    default:
      return keep(modelCall, 'modelCall', event);
  }
}

function openCall(started: PhaseEventData<'ModelCallStarted'>): OpenModelCall {
  const { step, leaseOwner, epoch, reservedMicroUsd, reservedTokens, purpose, callId, daily } = started;
  const special = {
    ...(purpose ? { purpose } : {}),
    ...(callId === undefined ? {} : { callId }),
    ...(daily ? { daily } : {}),
  };
  return { step, leaseOwner, epoch, reservedMicroUsd, reservedTokens, ...special };
}
