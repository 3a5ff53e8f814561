import type { JsonObject } from '@phaseline/basics';
import type { PhaseState } from '../phase/phase-state.js';

type PhaseItem = PhaseState['start']['plan']['item'];

/** The verifiers of which an item names cases that can prove it. */
export function listProvable(item: PhaseItem): readonly string[] {
  return item?.began === undefined ? [] : item.checks.map(({ verifier }) => verifier);
}

/**
 * The argument with which a verifier is called in a phase that works on an item: the cases that prove it, and the phase with whose files they
 * are compared. Empty if the item names no case of this verifier.
 */
export function buildProofArguments(item: PhaseItem, verifier: string): JsonObject {
  const check = item?.checks.find((one) => one.verifier === verifier);
  if (!check || item?.began === undefined) return {};
  const { tests, requests, queries } = check;
  return {
    proof: {
      began: item.began,
      ...(tests ? { tests } : {}),
      ...(requests ? { requests } : {}),
      ...(queries ? { queries } : {}),
    },
  };
}
