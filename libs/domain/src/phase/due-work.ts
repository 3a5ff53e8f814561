import { ASK_PERSON } from '../question/question.js';
import { DELEGATE } from '../delegation/delegate.js';
import { isRun, listOpenSystemCalls } from '../claim/system-calls.js';
import { listNestedCalls } from './nested-calls.js';
import { listLastAnswerCalls, type PhaseState } from './phase-state.js';
import {
  isAsking,
  isAwaitingApproval,
  isDelegating,
  isOpenCall,
  type AskingCall,
  type DelegatingCall,
  type OpenCall,
} from './state/calls.js';
import type { GuardWait } from './state/guard-waits.js';
import type { OpenModelCall } from './state/model-call.js';

/** What a phase waits for, according to its log. The worker, the tool-runner and the reconciler all use this. */
export type DueWork =
  /** The phase has ended. */
  | { readonly kind: 'nothing' }
  /** The model was called and has not answered yet. */
  | { readonly kind: 'answer'; readonly call: OpenModelCall }
  /** These neighbouring `remote` calls are due to run in parallel. */
  | { readonly kind: 'tools'; readonly calls: readonly OpenCall[] }
  /** The phase is paused until it is resumed. */
  | { readonly kind: 'paused' }
  /** These calls wait for approval, and nothing else can be done meanwhile. */
  | { readonly kind: 'approval'; readonly calls: readonly OpenCall[] }
  /** These calls have asked a person, and nothing else can be done before all of them are answered. */
  | { readonly kind: 'question'; readonly calls: readonly AskingCall[] }
  /** These calls have delegated tasks, and nothing else can be done before their child jobs have ended. */
  | { readonly kind: 'child'; readonly calls: readonly DelegatingCall[] }
  /** All guards that were awaited here have decided: do what follows from it. */
  | { readonly kind: 'guards'; readonly wait: GuardWait }
  /** A judge has to be asked for this call of the system. */
  | { readonly kind: 'judge'; readonly call: OpenCall }
  /** This `inline` call is next. */
  | { readonly kind: 'inline-call'; readonly call: OpenCall }
  /** All calls have ended: end the phase, nudge the model, or call it again. */
  | { readonly kind: 'advance' };

const waitingKinds: ReadonlySet<DueWork['kind']> = new Set(['nothing', 'paused', 'approval', 'question', 'child']);

/** Whether no process can do anything for the phase: it has ended, or a person or another job has to act first. */
export function awaitsOthers({ kind }: DueWork): boolean {
  return waitingKinds.has(kind);
}

/**
 * Determines the work that is due for a phase. Calls of the system come first, because others wait for them. The calls of one answer run in the order given: an `inline` call after an
 * unfinished `remote` call waits for it, and only the next group of neighbouring `remote` calls is due.
 */
export function dueWork(state: PhaseState): DueWork {
  if (state.end) return { kind: 'nothing' };
  if (state.modelCall.open) return { kind: 'answer', call: state.modelCall.open };
  if (state.paused) return { kind: 'paused' };
  const ofSystem = listOpenSystemCalls(state);
  const decision = ofSystem.find((call) => !isRun(call));
  if (decision) return findDueIn(state, decision, [decision]);
  if (ofSystem[0]) return findDueRuns(ofSystem);
  if (state.guardWaits[0]) return { kind: 'guards', wait: state.guardWaits[0] };
  const open = listLastAnswerCalls(state).filter(isOpenCall);
  const [next] = open;
  return next ? findDueIn(state, next, open) : { kind: 'advance' };
}

/** Finds the due calls among `open`. The calls that a call made have to end before the call itself continues. */
function findDueIn(state: PhaseState, next: OpenCall, open: readonly OpenCall[]): DueWork {
  const nested = listNestedCalls(state, next.callId).filter(isOpenCall);
  return nested[0] ? findDueCalls(nested[0], nested) : findDueCalls(next, open);
}

/** Calls that other processes run come first. Judges are asked one after the other, by the worker that has the phase. */
function findDueRuns(open: readonly OpenCall[]): DueWork {
  const remote = open.filter(({ lane }) => lane === 'remote');
  return remote.length > 0 ? { kind: 'tools', calls: remote } : { kind: 'judge', call: open[0]! };
}

/** Finds the due calls among `open`, the unfinished calls in order. `next` is the first of them. */
function findDueCalls(next: OpenCall, open: readonly OpenCall[]): DueWork {
  if (isAsking(next)) return findDueQuestions(open);
  if (isDelegating(next)) return findDueDelegations(open);
  if (next.lane === 'inline')
    return isAwaitingApproval(next) ? { kind: 'approval', calls: [next] } : { kind: 'inline-call', call: next };
  const neighbours: OpenCall[] = [];
  for (const call of open) {
    if (call.lane !== 'remote') break;
    neighbours.push(call);
  }
  const due = neighbours.filter((call) => !isAwaitingApproval(call));
  return due.length > 0 ? { kind: 'tools', calls: due } : { kind: 'approval', calls: neighbours };
}

/** Neighbouring calls that delegate are started together, so that their child jobs run side by side. */
function findDueDelegations(open: readonly OpenCall[]): DueWork {
  const delegating: DelegatingCall[] = [];
  for (const call of open) {
    if (isDelegating(call)) delegating.push(call);
    else if (call.name === DELEGATE && call.status === 'requested') return { kind: 'inline-call', call };
    else if (call.name !== DELEGATE) break;
  }
  return { kind: 'child', calls: delegating };
}

/**
 * Neighbouring calls of the tool that asks are asked together, so that a person can answer all of them in one visit.
 */
function findDueQuestions(open: readonly OpenCall[]): DueWork {
  const asking: AskingCall[] = [];
  for (const call of open) {
    if (isAsking(call)) asking.push(call);
    else if (call.name === ASK_PERSON && call.status === 'requested' && !call.question)
      return { kind: 'inline-call', call };
    else if (call.name !== ASK_PERSON) break;
  }
  return { kind: 'question', calls: asking };
}
