import { ANY_TOOL, type ToolEffect, type Unrecorded, type UnrecordedPolicy } from '@phaseline/contracts';
import { isSystemCall } from '../claim/system-calls.js';
import { DELEGATE } from '../delegation/delegate.js';
import { listCalls, type PhaseState } from '../phase/phase-state.js';
import type { AdmittedCall } from '../phase/state/calls.js';

/** Returns the policy that a fork sets for a tool. */
export function getPolicyOfTool(unrecorded: Unrecorded = {}, name: string): UnrecordedPolicy {
  for (const key of [name, ANY_TOOL]) if (Object.hasOwn(unrecorded, key)) return unrecorded[key]!;
  return 'error';
}

/** Whether a tool may run in a fork that replays a recording: it changes nothing outside the log. A delegated task is a job of its own. */
export function canRunUnrecorded({ name, effect }: { readonly name: string; readonly effect: ToolEffect }): boolean {
  return effect === 'pure' && name !== DELEGATE;
}

/**
 * Returns what follows when the recording has no result of a call. Verifiers, judges and guards never run again and never get the result of
 * another run: a claim would be decided by what was found about another one.
 */
export function chooseUnrecordedPolicy({ recording }: PhaseState['start'], call: AdmittedCall): UnrecordedPolicy {
  const policy = getPolicyOfTool(recording?.unrecorded, call.name);
  if (policy === 'error' || policy === 'fail') return policy;
  if (isSystemCall(call) || (policy === 'run' && !canRunUnrecorded(call))) return 'error';
  return policy;
}

/** The first call without a recorded result because of which the fork fails; `undefined` if there is none. */
export function findFatalUnrecorded(state: PhaseState): AdmittedCall | undefined {
  return listCalls(state).find(
    (call): call is AdmittedCall =>
      call.status === 'failed' && call.isUnrecorded === true && chooseUnrecordedPolicy(state.start, call) === 'fail',
  );
}
