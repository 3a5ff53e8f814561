import type { SecretMask } from '@phaseline/basics/secrets';
import type { FileChange } from '@phaseline/workspace';
import type { ToolOutcome } from '../tool.js';

/**
 * Removes secrets from the outcome of a tool: from its text, its structured result, and the names and contents of its files. The text says
 * which files were changed by this.
 */
export function maskOutcome(outcome: ToolOutcome, mask: SecretMask): ToolOutcome {
  if (mask.isEmpty) return outcome;
  const { rebase, result, ...rest } = outcome;
  return {
    ...rest,
    ...maskParts(outcome, mask),
    ...(result === undefined ? {} : { result: mask.maskJson(result) }),
    ...(rebase && {
      rebase: async (workspace) => ({ ...(await rebase(workspace).then((parts) => maskParts(parts, mask))) }),
    }),
  };
}

function maskParts(
  { content, files }: Pick<ToolOutcome, 'content' | 'files'>,
  mask: SecretMask,
): Pick<ToolOutcome, 'content' | 'files'> {
  const text = mask.maskText(content);
  if (!files) return { content: text };
  const masked = files.map((change) => maskFile(change, mask));
  const changed = masked.filter((change, index) => change !== files[index]).map(({ path }) => path);
  const note =
    changed.length === 0 ? '' : `\n[Values of secrets were replaced by their names in ${changed.join(', ')}.]`;
  return { content: `${text}${note}`, files: masked };
}

/** Returns the same object if the file contains no secret. */
function maskFile(change: FileChange, mask: SecretMask): FileChange {
  const path = mask.maskText(change.path);
  const content = 'content' in change ? mask.maskBytes(change.content) : undefined;
  if (path === change.path && (content === undefined || !('content' in change) || content === change.content))
    return change;
  return { ...change, path, ...(content === undefined ? {} : { content }) } as FileChange;
}
