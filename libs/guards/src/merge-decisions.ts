import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import type { GuardRef } from '@phaseline/domain';
import type { GuardDecision } from './guard-input.js';

/** What all guards together decide about one action. */
export type MergedDecision =
  | { readonly kind: 'deny'; readonly by: GuardRef; readonly reason: string; readonly suggest?: string }
  | {
      readonly kind: 'ask';
      readonly by: GuardRef;
      readonly reason: string;
      /** The arguments as amended, if a guard amended them: those that the person sees. */
      readonly amended?: Amendment;
      readonly context: readonly string[];
    }
  | {
      readonly kind: 'allow';
      readonly amended?: Amendment;
      /** Texts that the model reads in addition, in the order of the guards. */
      readonly context: readonly string[];
      /** The highest guard that allowed the action explicitly, which grants a permission that was asked for. */
      readonly allowedBy?: GuardRef;
    };

/** Arguments that replace those of a call, and the guards that demanded them. */
export interface Amendment {
  readonly arguments: JsonObject;
  readonly by: readonly GuardRef[];
  readonly reason: string;
}

/**
 * Merges the decisions of all guards about the same arguments: deny beats ask, ask beats amend, amend beats allow, whatever the scope, so that a
 * lower scope cannot weaken a higher one. Guards that demand different arguments deny the action. Decisions of guards in shadow and of
 * guards that were overridden have no effect.
 *
 * An amendment is not final: all guards have to see the amended arguments once more (see `decideInRounds`).
 */
export function mergeDecisions(decisions: readonly GuardDecision[]): MergedDecision {
  const effective = decisions.filter(hasEffect);
  const denied = effective.find(({ kind }) => kind === 'deny');
  if (denied) return buildDenied(denied);
  const amended = mergeAmendments(effective.filter(({ kind }) => kind === 'amend'));
  if (amended && 'conflict' in amended) return amended.conflict;
  const context = effective.flatMap((decision) => (decision.context === undefined ? [] : [decision.context]));
  const asked = effective.find(({ kind }) => kind === 'ask');
  const changes = amended ? { amended } : {};
  if (asked) return { kind: 'ask', by: asked.guard, reason: getReason(asked), ...changes, context };
  const allowed = effective.find(({ kind, failure }) => kind === 'allow' && !failure);
  return { kind: 'allow', ...changes, context, ...(allowed ? { allowedBy: allowed.guard } : {}) };
}

/** Whether a decision counts: its guard is in production and was not overridden. */
export function hasEffect({ guard, override }: GuardDecision): boolean {
  return guard.stage === 'production' && override === undefined;
}

/** Whether a decision is recorded: everything except a plain allow. */
export function isRecorded({ kind, failure, context }: GuardDecision): boolean {
  return kind !== 'allow' || failure !== undefined || context !== undefined;
}

type Merged = Amendment | { readonly conflict: MergedDecision };

function mergeAmendments(amendments: readonly GuardDecision[]): Merged | undefined {
  const [first] = amendments;
  if (!first) return undefined;
  const key = toCanonicalJson(first.arguments ?? {});
  const other = amendments.find((one) => toCanonicalJson(one.arguments ?? {}) !== key);
  if (other) {
    const reason = `the guards ${first.guard.name} and ${other.guard.name} demand different arguments`;
    return { conflict: { kind: 'deny', by: other.guard, reason } };
  }
  return { arguments: first.arguments ?? {}, by: amendments.map(({ guard }) => guard), reason: getReason(first) };
}

function buildDenied(decision: GuardDecision): MergedDecision {
  const { guard, suggest } = decision;
  return { kind: 'deny', by: guard, reason: getReason(decision), ...(suggest === undefined ? {} : { suggest }) };
}

function getReason({ guard, reason }: GuardDecision): string {
  return reason ?? `the guard ${guard.name} gave no reason`;
}
