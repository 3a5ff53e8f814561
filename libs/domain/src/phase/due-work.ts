import { nestedIn } from './nested-calls.js';
import { hasEnded, lastCalls, type CallState, type OpenModelCall, type PhaseState } from './phase-state.js';

/** What a phase waits for, as its log alone tells it. The worker, the tool-runner and the reconciler all ask here. */
export type DueWork =
  /** The phase has ended: nothing. */
  | { readonly kind: 'nothing' }
  /** The model was called and has not answered yet. */
  | { readonly kind: 'answer'; readonly call: OpenModelCall }
  /** These neighbouring `runner` calls are to be run side by side. */
  | { readonly kind: 'tools'; readonly calls: readonly CallState[] }
  /** Somebody paused the phase: it goes on when it is continued. */
  | { readonly kind: 'paused' }
  /** These calls wait for a person, and nothing else can be done meanwhile. */
  | { readonly kind: 'approval'; readonly calls: readonly CallState[] }
  /** This `log` call is next. */
  | { readonly kind: 'log-call'; readonly call: CallState }
  /** All calls have ended: end the phase, tell the model to go on, or call it again. */
  | { readonly kind: 'advance' };

/**
 * The calls of one answer are taken in the order given: a `log` call behind an unfinished `runner` call waits for it,
 * and of the `runner` calls only the next run of neighbours is due.
 */
export function dueWork(state: PhaseState): DueWork {
  if (state.end) return { kind: 'nothing' };
  if (state.openModelCall) return { kind: 'answer', call: state.openModelCall };
  if (state.paused) return { kind: 'paused' };
  const open = lastCalls(state).filter((call) => !hasEnded(call));
  const [next] = open;
  if (!next) return { kind: 'advance' };
  // What a call asked for comes before the call itself goes on.
  const nested = nestedIn(state, next.callId).filter((call) => !hasEnded(call));
  return nested[0] ? dueAmong(nested[0], nested) : dueAmong(next, open);
}

/** `open` are calls in order that have not ended; `next` is the first of them. */
function dueAmong(next: CallState, open: readonly CallState[]): DueWork {
  if (next.lane === 'log')
    return awaitsApproval(next) ? { kind: 'approval', calls: [next] } : { kind: 'log-call', call: next };
  const neighbours: CallState[] = [];
  for (const call of open) {
    if (call.lane !== 'runner') break;
    neighbours.push(call);
  }
  const due = neighbours.filter((call) => !awaitsApproval(call));
  return due.length > 0 ? { kind: 'tools', calls: due } : { kind: 'approval', calls: neighbours };
}

export function awaitsApproval(call: CallState): boolean {
  return call.status === 'awaiting-approval';
}
