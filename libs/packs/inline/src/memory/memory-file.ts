import { MEMORY_FILE } from '@phaseline/domain';
import { encodeText, readText, type FileChange, type WorkspaceReader } from '@phaseline/workspace';
import { ToolError } from '@phaseline/contracts';

/** Maximum size of the memory, far more than a prompt shows. A larger memory must be tidied before it is extended. */
const MAX_MEMORY_CHARACTERS = 100_000;

/** Returns the memory, or only its title when the file is missing or empty. Throws ToolError when the file is not text. */
export async function readMemory(workspace: WorkspaceReader): Promise<string> {
  const text = workspace.tree[MEMORY_FILE] ? await readText(workspace, MEMORY_FILE) : '';
  return text.trim() === '' ? '# Workspace\n' : text;
}

/** Returns the file change that replaces the memory. Throws ToolError `memory_full` when the text is too long. */
export function createMemoryChange(text: string): FileChange {
  if (text.length > MAX_MEMORY_CHARACTERS) {
    throw new ToolError(
      'memory_full',
      `${MEMORY_FILE} would have ${text.length} characters; keep it under ${MAX_MEMORY_CHARACTERS}. Remove what is outdated, or move details to another file.`,
    );
  }
  return { path: MEMORY_FILE, content: encodeText(text) };
}
