import type { FileChanges, WorkspaceFile } from '@phaseline/client';

export interface FileRow {
  readonly path: string;
  /** Size in bytes; of a deleted file, before it was deleted. */
  readonly size: number;
  readonly change?: 'new' | 'changed' | 'deleted';
}

/** Lists the files of a moment with what changed since another one: what changed first, then by path. Deleted files are listed too. */
export function listFileRows(files: readonly WorkspaceFile[], changes: FileChanges | undefined): readonly FileRow[] {
  const added = new Set(changes?.added.map(({ path }) => path));
  const changed = new Set(changes?.changed.map(({ path }) => path));
  const rows: readonly FileRow[] = [
    ...(changes?.removed ?? []).map(({ path, size }): FileRow => ({ path, size, change: 'deleted' })),
    ...files.map(({ path, size }): FileRow => {
      if (added.has(path)) return { path, size, change: 'new' };
      return changed.has(path) ? { path, size, change: 'changed' } : { path, size };
    }),
  ];
  const isSame = ({ change }: FileRow): number => (change === undefined ? 1 : 0);
  return rows.toSorted((left, right) => isSame(left) - isSame(right) || (left.path < right.path ? -1 : 1));
}
