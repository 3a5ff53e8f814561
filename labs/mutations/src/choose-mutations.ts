import { randomFrom } from '@phaseline/harness';
import type { Mutation } from './mutation-list.js';

/** Chooses `count` items by seed, in their original order; the same seed chooses the same ones. */
export function chooseSample<Item>(items: readonly Item[], count: number, seed: number): readonly Item[] {
  const random = randomFrom(seed);
  const remaining = items.map((_, index) => index);
  const chosen: number[] = [];
  while (chosen.length < count && remaining.length > 0)
    chosen.push(...remaining.splice(Math.floor(random() * remaining.length), 1));
  return chosen.sort((a, b) => a - b).map((index) => items[index]!);
}

/** Divides a list into parts of almost equal length, and returns one of them; `part` counts from 1. */
export function choosePart<Item>(items: readonly Item[], part: number, parts: number): readonly Item[] {
  // Contiguous parts, because neighbours in the list share their specs, which run once before the mutations.
  const from = Math.floor((items.length * (part - 1)) / parts);
  return items.slice(from, Math.floor((items.length * part) / parts));
}

/**
 * Plans the runs of specs without a mutation: at most one with all tests of files, and one with the tests that mutations name. Other
 * tests of the files of the second run are left out, because they can take longer than a run may.
 */
export function planRunsBefore(
  chosen: readonly Pick<Mutation, 'specs' | 'test'>[],
): readonly { readonly specs: readonly string[]; readonly test: string | undefined }[] {
  const listSpecs = (mutations: readonly Pick<Mutation, 'specs'>[]): readonly string[] =>
    [...new Set(mutations.flatMap(({ specs }) => specs))].sort();
  const whole = listSpecs(chosen.filter(({ test }) => test === undefined));
  const named = chosen.filter(({ specs, test }) => test !== undefined && !specs.every((spec) => whole.includes(spec)));
  const tests = [...new Set(named.map(({ test }) => `(?:${test})`))];
  return [
    ...(whole.length === 0 ? [] : [{ specs: whole, test: undefined }]),
    ...(named.length === 0 ? [] : [{ specs: listSpecs(named), test: tests.join('|') }]),
  ];
}
