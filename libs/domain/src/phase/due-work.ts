import { hasEnded, lastCalls, type CallState, type OpenModelCall, type PhaseState } from './phase-state.js';

/** What a phase waits for, as its log alone tells it. The worker, the tool-runner and the reconciler all ask here. */
export type DueWork =
  /** The phase has ended: nothing. */
  | { readonly kind: 'nothing' }
  /** The model was called and has not answered yet. */
  | { readonly kind: 'answer'; readonly call: OpenModelCall }
  /** These neighbouring `runner` calls are to be run side by side. */
  | { readonly kind: 'tools'; readonly calls: readonly CallState[] }
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
  const calls = lastCalls(state);
  const first = calls.findIndex((call) => !hasEnded(call));
  if (first < 0) return { kind: 'advance' };
  if (calls[first]!.lane === 'log') return { kind: 'log-call', call: calls[first]! };
  const due: CallState[] = [];
  for (const call of calls.slice(first)) {
    if (hasEnded(call)) continue;
    if (call.lane !== 'runner') break;
    due.push(call);
  }
  return { kind: 'tools', calls: due };
}
