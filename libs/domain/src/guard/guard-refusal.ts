import type { Check, CheckFailure } from '@phaseline/checks';
import type { PhaseEvent } from '../phase/phase-events.js';

/** The refusal of a claim, a prompt or a summary by a guard. */
export interface GuardRefusal {
  /** Name of the guard. */
  readonly guard: string;
  /** Reason for the model, and what it can do instead. */
  readonly reason: string;
}

/** The first refusal among decisions of guards that have an effect: in production, and not overridden. */
export function findGuardRefusal(decided: readonly PhaseEvent[]): GuardRefusal | undefined {
  for (const event of decided) {
    if (event.type !== 'GuardDecided' || event.data.decision !== 'deny') continue;
    const { guard, override, reason } = event.data;
    if (guard.stage !== 'production' || override) continue;
    return { guard: guard.name, reason: reason ?? 'it gave no reason' };
  }
  return undefined;
}

/** Tells the model that a guard refused, and why. */
export function renderGuardRefusal({ guard, reason }: GuardRefusal): string {
  return `the guard ${guard} refuses it: ${reason}`;
}

/** Builds what a claim lacks that a guard refused. Its check names the guard. */
export function buildGuardFailure({ guard, reason }: GuardRefusal): CheckFailure {
  // Stored checks are any object. This one is in no vocabulary: nobody can write it, and nothing evaluates it.
  const check = { guard } as object as Check;
  return { check, expected: `the guard ${guard} has no objection`, found: reason };
}

/** Whether a guard refused the claim, and not a check. */
export function isRefusedByGuard(failures: readonly { readonly check: object }[]): boolean {
  return failures.some(({ check }) => 'guard' in check);
}
