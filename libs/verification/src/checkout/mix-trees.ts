import type { VerifierDefinition } from '@phaseline/contracts';
import { createInputMatcher, removeConflicts, type CheckoutTrees } from './plan-checkout.js';
import type { FileEntry, Tree } from '@phaseline/workspace';

/**
 * Puts the inputs that were added since the beginning, such as tests, over the files of the beginning. Inputs that were changed stay as they
 * were, because no run sees their changes. Returns `undefined` if none was added: the run would be that on the files of the beginning.
 */
export function mixTrees(definition: VerifierDefinition, { claimed, begin }: CheckoutTrees): Tree | undefined {
  const isInput = createInputMatcher(definition);
  const added = Object.entries(claimed).filter(([path]) => isInput(path) && !Object.hasOwn(begin, path));
  if (added.length === 0) return undefined;
  const files = new Map<string, FileEntry>(Object.entries(begin));
  removeConflicts(files, added);
  return { ...Object.fromEntries(files), ...Object.fromEntries(added) };
}
