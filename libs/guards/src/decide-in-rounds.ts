import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import type { GuardDecision } from './guard-input.js';
import { hasEffect, isRecorded, mergeDecisions, type Amendment, type MergedDecision } from './merge-decisions.js';

/** What guards decided together, and the decisions that are recorded, in order. */
export interface GuardOutcome {
  readonly merged: MergedDecision;
  readonly recorded: readonly GuardDecision[];
}

/** Checks amended arguments against the schema of the tool; returns the arguments as its tool accepts them, or the problem. */
export type ParseAmended = (args: JsonObject) => { readonly arguments: JsonObject } | { readonly problem: string };

/** How the first round ended: with a decision, or with arguments that all guards have to see once more. */
export type FirstRound =
  | { readonly kind: 'decided'; readonly outcome: GuardOutcome }
  | { readonly kind: 'again'; readonly amendment: Amendment; readonly recorded: readonly GuardDecision[] };

/** Ends the first round: the decisions of all guards about the arguments as the model gave them. */
export function endFirstRound(first: readonly GuardDecision[], parseAmended: ParseAmended): FirstRound {
  const merged = mergeDecisions(first);
  const recorded = first.filter(isRecorded);
  const amended = merged.kind === 'deny' ? undefined : merged.amended;
  if (!amended) return { kind: 'decided', outcome: { merged, recorded } };
  const parsed = parseAmended(amended.arguments);
  if ('problem' in parsed) {
    const reason = `its arguments do not fit the tool after ${nameGuards(amended)} changed them. ${parsed.problem}`;
    return { kind: 'decided', outcome: { merged: { kind: 'deny', by: amended.by[0]!, reason }, recorded } };
  }
  const amendments = first.filter((decision) => decision.kind === 'amend' || !hasEffect(decision));
  return {
    kind: 'again',
    amendment: { ...amended, arguments: parsed.arguments },
    recorded: amendments.filter(isRecorded),
  };
}

/** Ends the second round: the decisions of all guards about the amended arguments. They may not amend them again. */
export function endSecondRound(
  second: readonly GuardDecision[],
  amendment: Amendment,
  parseAmended: ParseAmended,
): GuardOutcome {
  // Compared as the tool accepts them, because a guard may write 7 where the tool takes '7'.
  const isSame = (args: JsonObject | undefined): boolean => {
    const again = parseAmended(args ?? {});
    return 'arguments' in again && toCanonicalJson(again.arguments) === toCanonicalJson(amendment.arguments);
  };
  const recorded = second.filter(
    (decision) =>
      isRecorded(decision) && hasEffect(decision) && !(decision.kind === 'amend' && isSame(decision.arguments)),
  );
  return { merged: mergeSecond(second, amendment, isSame), recorded };
}

/** Merges the decisions about the amended arguments. */
function mergeSecond(
  second: readonly GuardDecision[],
  amended: Amendment,
  isSame: (args: JsonObject) => boolean,
): MergedDecision {
  const merged = mergeDecisions(second);
  if (merged.kind === 'deny') return merged;
  const { amended: again } = merged;
  if (again && !isSame(again.arguments)) {
    const reason = `the guard ${again.by[0]!.name} changes the arguments again after ${nameGuards(amended)} changed them`;
    return { kind: 'deny', by: again.by[0]!, reason };
  }
  return { ...merged, amended };
}

function nameGuards({ by }: Amendment): string {
  return `the guard ${by.map(({ name }) => name).join(' and ')}`;
}
