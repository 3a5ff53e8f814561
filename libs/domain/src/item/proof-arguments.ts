import type { JsonObject } from '@phaseline/basics';
import type { PhaseState } from '../phase/phase-state.js';

/**
 * The argument with which a verifier is called in a phase that works on an item: the cases that prove it, and the phase with whose files they
 * are compared. Empty if the item names no case of this verifier.
 */
export function buildProofArguments(item: PhaseState['start']['plan']['item'], verifier: string): JsonObject {
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
