import type { Check } from '@phaseline/checks';
import { listNeededTexts, type ClaimTexts, type PhaseState } from '@phaseline/domain';
import type { WorkspaceReader } from './file-change.js';

/** Reads the texts that the checks need, by content hash. Files that are too large are absent. */
export async function readClaimTexts(
  checks: readonly Check[],
  state: PhaseState,
  workspace: Pick<WorkspaceReader, 'readAll'>,
): Promise<ClaimTexts> {
  const needed = [...listNeededTexts(checks, state)];
  if (needed.length === 0) return new Map();
  const contents = await workspace.readAll(needed.map(([, path]) => path));
  const decoder = new TextDecoder();
  return new Map(needed.map(([hash, path]) => [hash, decoder.decode(contents.get(path))]));
}
