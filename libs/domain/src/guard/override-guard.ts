import type { PhaseState } from '../phase/phase-state.js';
import type { ControlDecision } from '../job/control-decision.js';
import type { JobState } from '../job/job-state.js';
import { listCurrentOverrides, removeOverrides, type GuardName } from './current-overrides.js';

/** Longest time for which a guard can be overridden: one day, in milliseconds. */
const MAX_GUARD_OVERRIDE_MS = 86_400_000;

/** A request to let the calls of one job pass a guard. */
export interface OverrideRequest extends GuardName {
  readonly action: 'override-guard';
  readonly reason: string;
  readonly expiresInMs: number;
}

/** A request to end the overrides of a guard in one job. */
export interface RevokeOverrideRequest extends GuardName {
  readonly action: 'revoke-guard-override';
  readonly reason: string;
}

/** Records an override in the job, and in the phase that runs. Refuses a time that is too long. */
export function overrideGuard(
  phase: PhaseState | undefined,
  actor: string,
  { guard, scope, reason, expiresInMs }: OverrideRequest,
  now: Date,
): ControlDecision {
  if (!(expiresInMs >= 1 && expiresInMs <= MAX_GUARD_OVERRIDE_MS))
    return { kind: 'refused', reason: 'a guard can be overridden for at most 24 hours' };
  const expiresAt = new Date(now.getTime() + expiresInMs).toISOString();
  const data = { guard, scope, actor, reason, expiresAt };
  return {
    kind: 'record',
    job: [{ type: 'JobGuardOverridden', data }],
    activePhase: phase ? [{ type: 'GuardOverridden', data }] : [],
  };
}

/** Records that the overrides of a guard end now. There is nothing to do if none is current. */
export function revokeGuardOverride(
  job: JobState,
  phase: PhaseState | undefined,
  actor: string,
  { guard, scope, reason }: RevokeOverrideRequest,
  now: Date,
): ControlDecision {
  const current = listCurrentOverrides(job.guardOverrides ?? [], now);
  if (removeOverrides(current, { guard, scope }).length === current.length) return { kind: 'nothing-to-do' };
  const data = { guard, scope, actor, reason };
  return {
    kind: 'record',
    job: [{ type: 'JobGuardOverrideRevoked', data }],
    activePhase: phase ? [{ type: 'GuardOverrideRevoked', data }] : [],
  };
}
