import type { CallId } from '@phaseline/contracts';
import { resultPath } from '../../tool-call/stored-result.js';
import type { PhaseTree } from './tree.js';

/** Renders the remark that replaces a cleared result. It says how long the result was and where it can be read. */
export function renderClearedResult(callId: CallId, result: string, tree: PhaseTree): string {
  const path = resultPath(callId);
  const file = Object.hasOwn(tree, path) ? tree[path] : undefined;
  return file
    ? `[Cleared: ${file.size} bytes, stored in ${path}.]`
    : `[Cleared: ${result.length} characters. Repeat the call if you need them.]`;
}
