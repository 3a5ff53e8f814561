import { ToolError } from '@phaseline/contracts';
import { findProtectedChange, listProtectionOf, type AdmittedCall, type ProtectedField } from '@phaseline/domain';
import { contentHash, type BlobWrite } from '@phaseline/event-store';
import { normalisePath, toText, type FileChange } from '@phaseline/workspace';
import type { PendingCommit } from '../step/pending-commit.js';
import { undoChanges, type KeptChanges } from './undone-changes.js';

/** Size in bytes up to which the fields of a file are compared. */
const MAX_COMPARED_BYTES = 8 * 1024 * 1024;

/**
 * Keeps what the agent's `protected` names from being changed by a call. The change of an inline tool is refused: the call fails with
 * ToolError `protected_field`, and nothing of it is taken in. A remote tool, such as a command, has already run: its change of the
 * protected file is undone and named in its result, and everything else is taken in.
 */
export async function protectFiles(
  commit: PendingCommit,
  call: AdmittedCall,
  files: readonly FileChange[],
  blobs: readonly BlobWrite[],
): Promise<KeptChanges> {
  const rules = commit.state.start.terms.protected ?? [];
  const undone =
    rules.length === 0 ? new Map<string, string>() : await findProtectedChanges(commit, rules, files, blobs);
  const [first] = undone.values();
  if (first !== undefined && call.lane === 'inline')
    throw new ToolError(
      'protected_field',
      `${first}. Nothing was changed. Change other parts of the file, or leave it as it is.`,
    );
  return undoChanges(call.callId, files, undone);
}

/** The protected changes among these, by path with the reason. Only the last change of a path counts. */
async function findProtectedChanges(
  commit: PendingCommit,
  rules: readonly ProtectedField[],
  files: readonly FileChange[],
  blobs: readonly BlobWrite[],
): Promise<Map<string, string>> {
  const last = new Map(files.map((change) => [normalisePath(change.path), change]));
  const found = new Map<string, string>();
  for (const [path, change] of last) {
    const own = listProtectionOf(rules, path);
    if (own.length === 0) continue;
    const known = Object.hasOwn(commit.workspace.tree, path) ? commit.workspace.tree[path]!.hash : undefined;
    const next = findHash(change);
    if (known === next) continue;
    const before = known === undefined ? undefined : await readText(commit, known, undefined, blobs);
    const after = next && (await readText(commit, next, 'content' in change ? change.content : undefined, blobs));
    const reason = findProtectedChange(own, path, before, after);
    if (reason !== undefined) found.set(path, reason);
  }
  return found;
}

/** Hash of the content after a change; `undefined` for a deleted file. */
function findHash(change: FileChange): string | undefined {
  if ('deleted' in change) return undefined;
  return 'stored' in change ? change.stored.hash : contentHash(change.content);
}

/**
 * Reads the text of content. Content that is too large or no text is represented by its hash, which is neither JSON nor YAML, so that its
 * fields count as changed.
 */
async function readText(
  commit: PendingCommit,
  hash: string,
  content: Uint8Array | undefined,
  blobs: readonly BlobWrite[],
): Promise<string> {
  const bytes = content ?? blobs.find((blob) => blob.hash === hash)?.content;
  const text = bytes ? toText(bytes, MAX_COMPARED_BYTES) : await commit.readTextByHash(hash, MAX_COMPARED_BYTES);
  return text ?? `\0${hash}`;
}
