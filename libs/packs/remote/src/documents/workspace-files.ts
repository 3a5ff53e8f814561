import { type FileEntry, normalisePath as normalPath } from '@phaseline/workspace';
import type { RemoteToolContext } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { MAX_DOCUMENT_BYTES } from '@phaseline/formats';

/** Normalises a path. Throws `invalid_path` for one that could point outside the workspace. */
export function toPath(path: string): string {
  try {
    return normalPath(path);
  } catch (cause) {
    throw new ToolError('invalid_path', cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Finds a file, also when the path lacks `documents/`. Throws `document_missing`, listing the documents. */
export function findFile(context: RemoteToolContext, path: string): { path: string; entry: FileEntry } {
  const { tree } = context.workspace;
  const wanted = toPath(path);
  for (const candidate of [wanted, `documents/${wanted}`]) {
    const entry = Object.hasOwn(tree, candidate) ? tree[candidate] : undefined;
    if (entry) return { path: candidate, entry };
  }
  const documents = Object.keys(tree)
    .filter((name) => name.startsWith('documents/'))
    .sort();
  const known =
    documents.length > 0
      ? `The documents are: ${documents.slice(0, 20).join(', ')}${documents.length > 20 ? ', …' : ''}.`
      : 'There are no files under documents/.';
  throw new ToolError('document_missing', `There is no file '${path}' in the workspace. ${known}`);
}

/** Reads a document or a file that a document tool wrote. Throws `document_missing` or `document_too_large`. */
export async function readFile(context: RemoteToolContext, path: string): Promise<Uint8Array> {
  const found = findFile(context, path);
  if (found.entry.size > MAX_DOCUMENT_BYTES * 2) {
    throw new ToolError(
      'document_too_large',
      `'${found.path}' is too large to be read (${found.entry.size} bytes). Split the document and extract the parts.`,
    );
  }
  const bytes = await context.workspace.read(found.path);
  if (!bytes)
    throw new ToolError(
      'document_missing',
      `The file '${found.path}' can no longer be read. List the files and try again.`,
    );
  return bytes;
}

/** Returns the folder for all files derived from a document: `documents/a/spec.pdf` → `work/a/spec.pdf`. */
export function getWorkFolder(documentPath: string): string {
  return `work/${documentPath.replace(/^documents\//, '')}`;
}
