import type { JsonObject } from '@phaseline/basics';
import type { CallId } from '@phaseline/contracts';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { isOpenCall, type AdmittedCall, type CallState, type OpenCall } from '../phase/state/calls.js';

/** Tools that only the system calls. Their results reach no model. */
export const systemTools = { verifier: 'run_verifier', judge: 'run_judge', guard: 'run_guard' } as const;

type SystemTool = (typeof systemTools)[keyof typeof systemTools];

/** A call that the system makes for a claim or before another call runs. */
export interface SystemCallRequest {
  readonly callId: CallId;
  readonly name: SystemTool;
  readonly arguments: JsonObject;
  readonly timeoutMs: number;
  /** The claim, or the guards that are awaited, for which it is made. */
  readonly parent: CallId;
  /** `once` for a call that is not made again after its process died; `idempotent` by default. */
  readonly effect?: 'idempotent' | 'once';
}

/** Builds the request of a call of the system. It is not checked like a call of the model: no model can make one. */
export function requestSystemCall(state: PhaseState, request: SystemCallRequest): PhaseEvent {
  return {
    type: 'ToolCallRequested',
    data: {
      effect: 'idempotent',
      ...request,
      step: Math.max(1, state.money.spending.steps),
      lane: request.name === systemTools.judge ? 'inline' : 'remote',
      traits: ['system', 'not_nestable'],
    },
  };
}

/** Whether the call is a run of a verifier, a judge or a guard. The other calls of the system are decisions of controllers. */
export function isRun({ name }: CallState): boolean {
  return (Object.values(systemTools) as readonly string[]).includes(name);
}

export function isSystemCall(call: CallState): call is AdmittedCall {
  return call.status !== 'denied' && call.traits.includes('system');
}

/** Calls of the system that have not ended, in the order in which they were requested. */
export function listOpenSystemCalls({ calls }: PhaseState): readonly OpenCall[] {
  return Object.values(calls.byId).filter((call): call is OpenCall => isSystemCall(call) && isOpenCall(call));
}
