import type { JsonValue } from '@phaseline/basics';
import type { CallId, ProcessId } from '@phaseline/contracts';
import type { PhaseEventData } from '../phase-events.js';
import { addFeedback, type GuardFeedback } from './guard-feedback.js';
import { NOT_RECORDED } from '../failure-codes.js';
import { keep, type ChangeEvent } from './changed-groups.js';
import { renderClearedResult } from './cleared-result.js';
import { withValue } from './id-record.js';
import type { PhaseTree } from './tree.js';

/** A person's decision about a call that waited for approval. */
export interface ApprovalDecision {
  readonly actor: string;
  /** Reason for a refusal; absent if the call was approved. */
  readonly refusalReason?: string;
  /** The arguments that the model gave; set if the person approved the call with others. */
  readonly replacedArguments?: AdmittedCall['arguments'];
}

/** A question that a call asks a person, and how it ended. */
export interface CallQuestion extends Readonly<Omit<PhaseEventData<'QuestionAsked'>, 'callId'>> {
  readonly end?:
    { readonly kind: 'answered'; readonly actor: string; readonly answer: JsonValue } | { readonly kind: 'timed-out' };
}

/** A call that passed the checks: what was requested, and its outcome. */
export interface AdmittedCall extends Readonly<PhaseEventData<'ToolCallRequested'>> {
  readonly status:
    | 'awaiting-guards'
    | 'awaiting-approval'
    | 'awaiting-answer'
    | 'awaiting-child'
    | 'requested'
    | 'started'
    | 'completed'
    | 'failed'
    | 'refused';
  /** Until when a person may approve the call; set while it waits. */
  readonly expiresAt?: string;
  /** Why a guard asks a person; absent if the agent lets a person decide about each call of the tool. */
  readonly reason?: string | undefined;
  /** The person's decision, for a call that waited for approval. */
  readonly approvalDecision?: ApprovalDecision;
  /** Set once the call has asked a person. */
  readonly question?: CallQuestion;
  /** Set once the call has delegated a task. */
  readonly child?: ChildJob;
  /** The process that runs the call; set once a call that must not run twice has started. */
  readonly leaseOwner?: ProcessId;
  /** What the model reads; set once the call has ended. */
  readonly result?: string;
  /** What guards said about the call after it ended. `result` then contains it. */
  readonly feedback?: GuardFeedback;
  /** Set when the result was cleared. `result` then contains only a note about this. */
  readonly cleared?: true;
  /** Set if the call failed in a fork whose recording has no result of it. */
  readonly isUnrecorded?: true;
}

/** A task that a call delegated, and how its job ended. */
export interface ChildJob extends Readonly<Omit<PhaseEventData<'ChildJobRequested'>, 'callId'>> {
  readonly end?: Readonly<Omit<PhaseEventData<'ChildJobEnded'>, 'callId'>>;
}

/** A call that did not pass the checks and was not run. */
interface DeniedCall {
  readonly callId: CallId;
  readonly step: number;
  readonly name: string;
  readonly status: 'denied';
  /** Tells the model why. */
  readonly result: string;
  readonly cleared?: true;
  /** The call that made this call; absent when the model made it. */
  readonly parent?: CallId;
}

export type CallState = AdmittedCall | DeniedCall;

/** A call whose child job has not ended. */
export type DelegatingCall = AdmittedCall & { readonly status: 'awaiting-child'; readonly child: ChildJob };

/** An admitted call that has not ended. */
export type OpenCall = AdmittedCall & {
  readonly status:
    'awaiting-guards' | 'awaiting-approval' | 'awaiting-answer' | 'awaiting-child' | 'requested' | 'started';
};

/** A call whose question is not answered yet. */
export type AskingCall = AdmittedCall & { readonly status: 'awaiting-answer'; readonly question: CallQuestion };

export interface PhaseCalls {
  /** Calls of the last response, and calls that they made. */
  readonly byId: Readonly<Record<string, CallState>>;
  /** Ids of the last response's calls, in the order given by the model. */
  readonly lastResponseCallIds: readonly CallId[];
}

export const NO_CALLS: PhaseCalls = { byId: {}, lastResponseCallIds: [] };

/** Folds one event. `tree` says where cleared results are stored. */
export function foldCalls(calls: PhaseCalls, event: ChangeEvent, tree: PhaseTree): PhaseCalls {
  switch (event.type) {
    case 'ModelResponded':
      return { byId: {}, lastResponseCallIds: event.data.calls.map(({ callId }) => callId) };
    case 'ToolCallRequested':
      return withCall(calls, { ...event.data, status: 'requested' });
    case 'GuardsAwaited': {
      const { call } = event.data;
      return call ? withCall(calls, { ...call, status: 'awaiting-guards' }) : calls;
    }
    case 'ApprovalRequested':
      return withCall(calls, { ...event.data, status: 'awaiting-approval' });
    case 'ApprovalGranted':
      return withCall(calls, approve(getAdmittedCall(calls, event.data.callId), event.data.actor));
    case 'ApprovalRefused':
      return withCall(calls, refuse(getAdmittedCall(calls, event.data.callId), event.data));
    case 'ToolCallAmended':
      return withCall(calls, amend(getAdmittedCall(calls, event.data.callId), event.data));
    case 'QuestionAsked': {
      const { callId, ...question } = event.data;
      return withCall(calls, { ...getAdmittedCall(calls, callId), status: 'awaiting-answer', question });
    }
    case 'QuestionAnswered': {
      const { callId, actor, answer } = event.data;
      return withCall(calls, endQuestion(getAdmittedCall(calls, callId), { kind: 'answered', actor, answer }));
    }
    case 'QuestionTimedOut':
      return withCall(calls, endQuestion(getAdmittedCall(calls, event.data.callId), { kind: 'timed-out' }));
    case 'ChildJobRequested': {
      const { callId, ...child } = event.data;
      return withCall(calls, { ...getAdmittedCall(calls, callId), status: 'awaiting-child', child });
    }
    case 'ChildJobEnded': {
      const { callId, ...end } = event.data;
      const call = getAdmittedCall(calls, callId);
      return withCall(calls, {
        ...call,
        status: 'requested',
        ...(call.child ? { child: { ...call.child, end } } : {}),
      });
    }
    case 'ToolCallDenied':
      return withCall(calls, toDeniedCall(event.data));
    case 'ToolCallStarted': {
      const { callId, leaseOwner } = event.data;
      return withCall(calls, { ...getAdmittedCall(calls, callId), status: 'started', leaseOwner });
    }
    case 'ToolCallCompleted': {
      const { callId, content } = event.data;
      return withCall(calls, { ...getAdmittedCall(calls, callId), status: 'completed', result: content });
    }
    case 'ToolCallFailed': {
      const { callId, code, message } = event.data;
      const failed = { ...getAdmittedCall(calls, callId), status: 'failed' as const, result: message };
      return withCall(calls, code === NOT_RECORDED ? { ...failed, isUnrecorded: true } : failed);
    }
    case 'GuardDecided': {
      const call = event.data.callId === undefined ? undefined : calls.byId[event.data.callId];
      if (!call || call.status === 'denied') return calls;
      const changed = addFeedback(call, event.data);
      return changed ? withCall(calls, { ...call, ...changed }) : calls;
    }
    case 'ToolResultsCleared':
      return clearResults(calls, new Set(event.data.callIds), tree);
    case 'PhaseNudged':
    case 'TransitionRejected':
      return { ...calls, lastResponseCallIds: [] };
    case 'StuckDetected':
      return event.data.message === undefined ? calls : { ...calls, lastResponseCallIds: [] };
    default:
      return keep(calls, 'calls', event);
  }
}

const openStatuses: ReadonlySet<CallState['status']> = new Set<OpenCall['status']>([
  'awaiting-guards',
  'awaiting-approval',
  'awaiting-answer',
  'awaiting-child',
  'requested',
  'started',
]);

export function hasCallEnded(call: CallState): boolean {
  return !isOpenCall(call);
}

export function isOpenCall(call: CallState): call is OpenCall {
  return openStatuses.has(call.status);
}

export function isAwaitingApproval(call: CallState): call is AdmittedCall & { readonly status: 'awaiting-approval' } {
  return call.status === 'awaiting-approval';
}

export function isAsking(call: CallState): call is AskingCall {
  return call.status === 'awaiting-answer';
}

export function isDelegating(call: CallState): call is DelegatingCall {
  return call.status === 'awaiting-child';
}

/** Returns an admitted call. Throws if no call with this id was admitted. */
export function getAdmittedCall({ byId }: PhaseCalls, callId: CallId): AdmittedCall {
  const call = byId[callId];
  if (!call || call.status === 'denied') throw new Error(`call ${callId} was never requested`);
  return call;
}

function withCall(calls: PhaseCalls, call: CallState): PhaseCalls {
  return { ...calls, byId: withValue(calls.byId, call.callId, call) };
}

function approve({ expiresAt: _over, ...call }: AdmittedCall, actor: string): AdmittedCall {
  return { ...call, status: 'requested', approvalDecision: { ...call.approvalDecision, actor } };
}

function amend(
  { ignoredArguments: _ignored, ...call }: AdmittedCall,
  { actor, arguments: args }: PhaseEventData<'ToolCallAmended'>,
): AdmittedCall {
  return { ...call, arguments: args, approvalDecision: { actor, replacedArguments: call.arguments } };
}

function endQuestion(call: AdmittedCall, end: NonNullable<CallQuestion['end']>): AdmittedCall {
  return { ...call, status: 'requested', ...(call.question ? { question: { ...call.question, end } } : {}) };
}

function refuse(call: AdmittedCall, { actor, reason }: PhaseEventData<'ApprovalRefused'>): AdmittedCall {
  const approvalDecision = { actor, refusalReason: reason };
  return { ...call, status: 'refused', result: `Call denied: ${reason}`, approvalDecision };
}

function toDeniedCall({ callId, step, name, message, parent }: PhaseEventData<'ToolCallDenied'>): DeniedCall {
  return { callId, step, name, status: 'denied', result: message, ...(parent === undefined ? {} : { parent }) };
}

/** Replaces the results of these calls by remarks. */
function clearResults(calls: PhaseCalls, callIds: ReadonlySet<CallId>, tree: PhaseTree): PhaseCalls {
  const cleared = Object.values(calls.byId).flatMap((call) =>
    callIds.has(call.callId) && call.result !== undefined
      ? [{ ...call, result: renderClearedResult(call.callId, call.result, tree), cleared: true as const }]
      : [],
  );
  if (cleared.length === 0) return calls;
  return { ...calls, byId: { ...calls.byId, ...Object.fromEntries(cleared.map((call) => [call.callId, call])) } };
}
