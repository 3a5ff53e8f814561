import type { Check } from '@phaseline/checks';
import { listNeededTexts, type ClaimTexts, type PhaseState } from '@phaseline/domain';
import type { WorkspaceReader } from './file-change.js';

/** Size in bytes up to which a file is read for a check. A larger one fails every check of its content. */
const MAX_CHECKED_BYTES = 8 * 1024 * 1024;
/** Size in bytes of all files that are read for one claim. */
const MAX_CLAIM_BYTES = 64 * 1024 * 1024;

/** Reads the texts that the checks need, by content hash. Files that are too large are omitted, those beyond the total too. */
export async function readClaimTexts(
  checks: readonly Check[],
  state: PhaseState,
  workspace: Pick<WorkspaceReader, 'readAll'>,
): Promise<ClaimTexts> {
  let total = 0;
  const paths: [hash: string, path: string][] = [];
  for (const [hash, path] of listNeededTexts(checks, state)) {
    const { size } = state.tree[path]!;
    if (size > MAX_CHECKED_BYTES || total + size > MAX_CLAIM_BYTES) continue;
    total += size;
    paths.push([hash, path]);
  }
  if (paths.length === 0) return new Map();
  const contents = await workspace.readAll(paths.map(([, path]) => path));
  const decoder = new TextDecoder();
  return new Map(paths.map(([hash, path]) => [hash, decoder.decode(contents.get(path))]));
}
