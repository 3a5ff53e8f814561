import type { WorkspaceReader } from './file-change.js';
import { normalisePath } from './workspace-path.js';
import { ToolError } from '@phaseline/contracts';
import { decodeInSlices } from './large-text.js';

/** Maximum size of a text that is read in one piece. Texts are held in memory, several times while they are edited. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** Returns the normalised path and the size of a workspace file. Throws ToolError when there is no such file. */
export function requireFile(
  workspace: WorkspaceReader,
  path: string,
): { readonly path: string; readonly size: number } {
  const clean = normalisePath(path);
  const entry = Object.hasOwn(workspace.tree, clean) ? workspace.tree[clean] : undefined;
  if (!entry) throw new ToolError('file_not_found', `There is no file ${clean}.${suggestPaths(workspace, clean)}`);
  return { path: clean, size: entry.size };
}

/** Reads a text file. Throws ToolError when there is no such file, or when it is too large or not text. */
export async function readText(workspace: WorkspaceReader, path: string): Promise<string> {
  const { path: clean, size } = requireFile(workspace, path);
  if (size > MAX_TEXT_BYTES)
    throw new ToolError(
      'too_large',
      `${clean} has ${size} bytes, which is too large to read in one call. Read it in parts with read_file.`,
    );
  const bytes = (await workspace.read(clean)) ?? new Uint8Array();
  try {
    // The byte order mark is kept, so that an edited file keeps its first bytes.
    const text = await decodeInSlices(bytes);
    if (text.includes('\0')) throw new Error('NUL');
    return text;
  } catch (cause) {
    throw new ToolError(
      'not_text',
      `${clean} is not a text file (${bytes.byteLength} bytes). Use a tool for this file type.`,
      { cause },
    );
  }
}

function suggestPaths(workspace: WorkspaceReader, path: string): string {
  const name = path.split('/').at(-1)!.toLowerCase();
  const candidates = Object.keys(workspace.tree).filter(
    (other) => other.toLowerCase().includes(name) || name.includes(other.split('/').at(-1)!.toLowerCase()),
  );
  return candidates.length > 0
    ? ` Did you mean ${candidates.slice(0, 3).join(', ')}?`
    : ' Use list_files to see what is there.';
}
