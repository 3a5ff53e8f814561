import type { FileChange, WorkspaceReader } from '@phaseline/workspace';
import { ToolError } from '../tool-error.js';
import { encodeText, readText } from '../workspace/file-text.js';

/** The agent's memory, in every system prompt. People and the agent write to it as well. */
export const MEMORY_FILE = 'workspace.md';

/** Far more than a prompt shows; a memory that has grown over this has to be tidied, not added to. */
const MAX_CHARACTERS = 100_000;

/** The memory as it stands; one that nobody has begun has its title alone. Throws ToolError where it is no text. */
export async function readMemory(workspace: WorkspaceReader): Promise<string> {
  const text = workspace.tree[MEMORY_FILE] ? await readText(workspace, MEMORY_FILE) : '';
  return text.trim() === '' ? '# Workspace\n' : text;
}

/** The memory with that text. Throws ToolError where it would grow over its bound. */
export function memoryChange(text: string): FileChange {
  if (text.length > MAX_CHARACTERS) {
    throw new ToolError(
      'memory_full',
      `${MEMORY_FILE} would have ${text.length} characters; keep it under ${MAX_CHARACTERS}. Take out what no longer holds, or write details to a file of their own.`,
    );
  }
  return { path: MEMORY_FILE, content: encodeText(text) };
}
