import type { Check } from './check.js';

/** A check that contains no other. */
export type LeafCheck = Exclude<
  Check,
  { readonly all: unknown } | { readonly any: unknown } | { readonly not: unknown }
>;

/** Lists the checks that contain no other, however deep they are. */
export function listLeafChecks(check: Check): readonly LeafCheck[] {
  if ('all' in check) return check.all.flatMap(listLeafChecks);
  if ('any' in check) return check.any.flatMap(listLeafChecks);
  return 'not' in check ? listLeafChecks(check.not) : [check];
}
