import type { JsonObject } from '@phaseline/basics';
import { findMismatches, type Matchers } from '@phaseline/checks';
import { normalisePathArguments } from '@phaseline/guards';
import { deriveMatchers } from './derive-matchers.js';

/** Alternatives into which a predicate is split at most. */
const MAX_ALTERNATIVES = 3;

/** Conditions on the arguments of which one has to hold; or why there are none. */
export type DerivedRule = { readonly alternatives: readonly Matchers[] } | { readonly problem: string };

/**
 * Derives the least general predicate over the arguments of violating calls of one tool. If it also holds for an accepted call of a successful job, the
 * violating calls are split by the values of one argument, into as few groups as possible, until no group's predicate does. The same calls give
 * the same predicate, in whatever order they are given.
 */
export function deriveRule(violating: readonly JsonObject[], accepted: readonly JsonObject[]): DerivedRule {
  // Rules compare paths in this form.
  const calls = violating.map(normalisePathArguments);
  const allowed = accepted.map(normalisePathArguments);
  if (calls.length === 0) return { problem: 'the violations are no calls of a tool' };
  const whole = deriveMatchers(calls);
  if (Object.keys(whole).length === 0) return { problem: 'the calls have no argument in common' };
  if (!matchesAny(whole, allowed)) return { alternatives: [whole] };
  const splits = listSplits(calls).sort((one, other) => one.length - other.length);
  for (const groups of splits) {
    const alternatives = groups.map(deriveMatchers);
    if (alternatives.every((matchers) => !matchesAny(matchers, allowed))) return { alternatives };
  }
  return { problem: 'every predicate also matches accepted calls of successful jobs' };
}

/** Ways to split calls into two or three groups: by the value, the first folder or the end of one argument. */
function listSplits(calls: readonly JsonObject[]): (readonly (readonly JsonObject[])[])[] {
  const names = [...new Set(calls.flatMap((args) => Object.keys(args)))].sort();
  return names.flatMap((name) =>
    classifiers.flatMap((classify) => {
      const groups = Map.groupBy(calls, (args) => classify(args[name]));
      if (groups.size < 2 || groups.size > MAX_ALTERNATIVES) return [];
      return [[...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)];
    }),
  );
}

const classifiers: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value) ?? '',
  (value) => (typeof value === 'string' ? (value.split('/', 1)[0] ?? '') : ''),
  (value) => (typeof value === 'string' ? value.slice(value.lastIndexOf('.') + 1) : ''),
];

function matchesAny(matchers: Matchers, calls: readonly JsonObject[]): boolean {
  return calls.some((args) => findMismatches(matchers, args).length === 0);
}
