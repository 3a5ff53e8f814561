import {
  listCurrentOverrides,
  planGuardRuns,
  type Guard,
  type GuardWait,
  type HookPoint,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { listGuardsAt, readCommandDecisions, type GuardDecision } from '@phaseline/guards';
import { mayFire } from '@phaseline/hooks';
import type { PendingCommit } from '../step/pending-commit.js';

/** The command guards of the phase that have to be asked at a hook point about a call of this tool, in order of scope and name. */
export function findCommandGuards({ start }: PhaseState, point: HookPoint, tool: string): readonly Guard[] {
  return listGuardsAt(start.terms.guards ?? [], 'command', point).filter((guard) => mayFire(guard, point, tool));
}

type Awaited = Extract<PhaseEvent, { readonly type: 'GuardsAwaited' }>['data'];

/** Builds the events that ask command guards about a call: that they are awaited, and the calls of the system that ask them. */
export function awaitGuards(
  state: PhaseState,
  guards: readonly Guard[],
  wait: Omit<Awaited, 'runs' | 'callId'> & { readonly callId: string },
): readonly PhaseEvent[] {
  const { point, callId, round, permission } = wait;
  const id = `${callId}_${waitNames[point] ?? point}${round}${permission ? 'p' : ''}`;
  const { runs, requests } = planGuardRuns(state, { id, point, guards, callId });
  return [{ type: 'GuardsAwaited', data: { ...wait, runs: [...runs] } }, ...requests];
}

/** Short names of hook points in the ids of calls. */
const waitNames: Readonly<Partial<Record<HookPoint, string>>> = {
  PreToolUse: 'pre',
  PermissionRequest: 'permission',
  PostToolUse: 'post',
  PostToolUseFailure: 'post',
};

/** Reads what the guards of a wait decided. */
export function readDecisions({ state, now }: PendingCommit, { runs }: GuardWait): readonly GuardDecision[] {
  return readCommandDecisions(state, runs, listCurrentOverrides(state.guards.overrides, now));
}

/** Builds the event that says that nothing is awaited here any more. */
export function settle({ point, callId, round }: GuardWait): PhaseEvent {
  return { type: 'GuardsSettled', data: { point, ...(callId === undefined ? {} : { callId }), round } };
}
