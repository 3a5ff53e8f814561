import type { PhaseState } from '../phase/phase-state.js';
import type { LastAttempt } from './last-attempt.js';
import type { ReflexionPart } from './reflexion-events.js';

/** Part of the reflection for which the model is asked next; `undefined` if none is due. All are due before the first step of the work. */
export function findDueReflection({ start, money, reflexion }: PhaseState): ReflexionPart | undefined {
  if (!start.terms.reflexion || !start.plan.lastAttempt) return undefined;
  if (money.spending.steps > 0 || reflexion?.isSkipped) return undefined;
  if (reflexion?.assumption === undefined) return 'assumption';
  return reflexion.prevention === undefined ? 'prevention' : undefined;
}

/** A complete reflection, with the attempt that it is about. */
interface Reflection {
  readonly attempt: LastAttempt;
  readonly assumption: string;
  readonly prevention: string;
}

/** The reflection that the prompts of a phase contain; `undefined` if there is none, or if it was refused. */
export function findReflection({ start, reflexion }: PhaseState): Reflection | undefined {
  const { lastAttempt: attempt } = start.plan;
  const { assumption, prevention, isRefused } = reflexion ?? {};
  if (!attempt || isRefused || assumption === undefined || prevention === undefined) return undefined;
  return { attempt, assumption, prevention };
}
