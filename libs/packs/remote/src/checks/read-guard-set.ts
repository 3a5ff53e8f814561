import type { GuardSetFile } from '@phaseline/hooks';
import type { WorkspaceReader } from '@phaseline/workspace';

/** Reads the files of a guard set from its folder of the workspace. Their version shows whether they are those of the guard. */
export async function readGuardSet(workspace: WorkspaceReader, folder: string): Promise<readonly GuardSetFile[]> {
  const { tree } = workspace;
  const paths = Object.keys(tree).filter((path) => path.startsWith(`${folder}/`));
  const contents = await workspace.readAll(paths);
  return paths.map((path) => ({
    path: path.slice(folder.length + 1),
    content: contents.get(path) ?? new Uint8Array(),
    isExecutable: tree[path]!.mode === 'executable',
  }));
}
