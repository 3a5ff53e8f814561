import type { JsonObject } from '@phaseline/basics';
import type { CallId } from '@phaseline/contracts';
import { requestSystemCall, systemTools } from '../claim/system-calls.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { GuardRef } from './guard-events.js';
import type { HookPoint } from './guard-vocabulary.js';
import type { Guard } from './guard.js';

/** A guard that is asked, and the call of the system that asks it. */
export interface GuardRun {
  readonly guard: GuardRef;
  readonly callId: CallId;
}

export interface GuardRunRequest {
  /** Begins the ids of the calls, and is their parent. */
  readonly id: CallId;
  readonly point: HookPoint;
  /** Command guards to ask. */
  readonly guards: readonly Guard[];
  /** The call that they are asked about. */
  readonly callId?: CallId | undefined;
  /** What they are told beside the call. */
  readonly occasion?: JsonObject;
}

/** Time in milliseconds for what is done before and after the guards run. */
const MARGIN_MS = 120_000;
const DEFAULT_GUARD_MS = 10_000;

/**
 * Plans the calls of the system that ask command guards: one call for those that may be asked again after a crash, and one for the others. A
 * process that dies during the second leaves its guards without a decision.
 */
export function planGuardRuns(
  state: PhaseState,
  { id, point, guards, callId, occasion }: GuardRunRequest,
): { readonly runs: readonly GuardRun[]; readonly requests: readonly PhaseEvent[] } {
  const groups = [
    { effect: 'idempotent' as const, guards: guards.filter(({ idempotent }) => idempotent) },
    { effect: 'once' as const, guards: guards.filter(({ idempotent }) => !idempotent) },
  ].filter((group) => group.guards.length > 0);
  const planned = groups.map((group, index) => ({ ...group, callId: `${id}_${index + 1}` satisfies CallId }));
  return {
    runs: planned.flatMap((group) => group.guards.map((guard) => ({ guard: toGuardRef(guard), callId: group.callId }))),
    requests: planned.map((group) =>
      requestSystemCall(state, {
        callId: group.callId,
        name: systemTools.guard,
        arguments: {
          point,
          guards: group.guards.map(({ name }) => name),
          ...(callId === undefined ? {} : { callId }),
          ...(occasion ? { occasion } : {}),
        },
        // Guards of different sets may have to take turns.
        timeoutMs: MARGIN_MS + group.guards.reduce((sum, { timeoutMs = DEFAULT_GUARD_MS }) => sum + timeoutMs, 0),
        parent: id,
        effect: group.effect,
      }),
    ),
  };
}

/** The part of a guard that its decisions name. */
export function toGuardRef({ name, version, scope, kind, stage }: Guard): GuardRef {
  return { name, version, scope, kind, stage };
}
