import type { WorkspaceReader } from '@phaseline/workspace';

/** Reads a text of the workspace; `undefined` if there is no such file. */
export async function readTextIfExists(workspace: WorkspaceReader, path: string): Promise<string | undefined> {
  const bytes = await workspace.read(path);
  return bytes && new TextDecoder().decode(bytes);
}
