import { pointEffects, type Guard, type HookPoint } from '@phaseline/domain';
import type { GuardDecision } from './guard-input.js';

/**
 * Limits what a guard decided to what its hook point allows. A script that decides something else, such as to ask a person about a todo, could
 * not decide: it refuses where that is possible, unless it says `onFailure: continue`. A text has no effect where no model reads it.
 */
export function restrictToPoint(decision: GuardDecision, point: HookPoint, guards: readonly Guard[]): GuardDecision {
  const { kind, guard } = decision;
  const effects = pointEffects[point];
  if (kind === 'allow' || kind === 'context' || effects.includes(kind)) return decision;
  const failure = { code: 'guard_effect', message: `'${kind}' has no effect at ${point}` };
  const own = guards.find(({ name, scope }) => name === guard.name && scope === guard.scope);
  const { arguments: _arguments, suggest: _suggest, reason: _reason, ...rest } = decision;
  if (!effects.includes('deny') || own?.onFailure === 'continue') return { ...rest, kind: 'allow', failure };
  return { ...rest, kind: 'deny', reason: `the guard ${guard.name} could not decide: ${failure.message}`, failure };
}
