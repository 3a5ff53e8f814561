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

/**
 * Asks guards in at most two rounds: if they amend the arguments, all of them see the result once more. The action is denied if they
 * amend it again, or if the amended arguments do not fit the tool.
 *
 * `ask` returns the decisions of all guards about these arguments; `undefined` stands for the arguments as the model gave them.
 */
export async function decideInRounds(
  ask: (amended: JsonObject | undefined) => Promise<readonly GuardDecision[]>,
  parseAmended: ParseAmended,
): Promise<GuardOutcome> {
  const first = await ask(undefined);
  const merged = mergeDecisions(first);
  const recordedFirst = first.filter(isRecorded);
  const amended = merged.kind === 'deny' ? undefined : merged.amended;
  if (!amended) return { merged, recorded: recordedFirst };
  const parsed = parseAmended(amended.arguments);
  if ('problem' in parsed) {
    const reason = `its arguments do not fit the tool after ${nameGuards(amended)} changed them. ${parsed.problem}`;
    return { merged: { kind: 'deny', by: amended.by[0]!, reason }, recorded: recordedFirst };
  }
  // Compared as the tool accepts them, because a guard may write 7 where the tool takes '7'.
  const isSame = (args: JsonObject | undefined): boolean => {
    const again = parseAmended(args ?? {});
    return 'arguments' in again && toCanonicalJson(again.arguments) === toCanonicalJson(parsed.arguments);
  };
  const second = await ask(parsed.arguments);
  const amendments = first.filter((decision) => decision.kind === 'amend' || !hasEffect(decision));
  const recorded = [
    ...amendments.filter(isRecorded),
    ...second.filter(
      (decision) =>
        isRecorded(decision) && hasEffect(decision) && !(decision.kind === 'amend' && isSame(decision.arguments)),
    ),
  ];
  return { merged: mergeSecond(second, { ...amended, arguments: parsed.arguments }, isSame), recorded };
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
