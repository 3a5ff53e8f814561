import type { JsonObject } from '@phaseline/basics';
import type { CallId } from '@phaseline/contracts';
import { isUnloaded, SEARCH_TOOLS } from '../discovery/on-demand-tools.js';
import { admitCall, type ToolLookup } from './admit-call.js';
import type { PhaseEvent } from './phase-events.js';
import type { PhaseState } from './phase-state.js';
import type { AdmittedCall, CallState } from './state/calls.js';

/** Name of the tool that runs code written by the model, which may call other tools. */
export const RUN_SCRIPT = 'run_script';

/** A call that another call makes while it runs. */
export interface NestedCallRequest {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The calls that a call has made so far, in order. */
export function listNestedCalls(state: PhaseState, callId: CallId): readonly CallState[] {
  return Object.values(state.calls.byId).filter(({ parent }) => parent === callId);
}

/**
 * Decides about a nested call like `admitCall`, but also denies tools that only the agent itself may call, and tools on
 * demand that were not found yet. A tool that only the system calls may call any tool of the phase, and others that only the system calls.
 */
export function admitNestedCall(
  state: PhaseState,
  parent: AdmittedCall,
  asked: NestedCallRequest,
  tools: ToolLookup,
  now: Date,
): PhaseEvent {
  const callId: CallId = `${parent.callId}_${listNestedCalls(state, parent.callId).length + 1}`;
  const { name } = asked;
  const { step } = parent;
  const isOfSystem = parent.traits.includes('system');
  const isNestable = isOfSystem || !tools.find(name)?.traits.includes('not_nestable');
  if (!isNestable || isUnloaded(state, name)) {
    const message = !isNestable
      ? `Call denied: ${name} cannot be called from ${parent.name}. Call it directly.`
      : `Call denied: ${name} is not in your list of tools. Find it with ${SEARCH_TOOLS} first.`;
    return {
      type: 'ToolCallDenied',
      data: { callId, step, name, code: 'not_offered', message, parent: parent.callId },
    };
  }
  const calls = [{ callId, name, arguments: asked.arguments }];
  const isSystem = isOfSystem && tools.find(name)?.traits.includes('system');
  const offered = isSystem ? [...state.start.terms.tools, name] : state.start.terms.tools;
  const event = admitCall(state, { step, calls, end: 'calls' }, 0, tools, now, offered);
  return { ...event, data: { ...event.data, parent: parent.callId } } as PhaseEvent;
}
