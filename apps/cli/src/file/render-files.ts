import type { WorkspaceFile } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatBytes } from '../output/quantities.js';
import { renderTable } from '../output/table.js';

/** Renders a table of files with the start of the hash, the size and the path. */
export function renderFiles(
  files: readonly WorkspaceFile[],
  options: { readonly paint: Paint; readonly columns?: number | undefined },
): string[] {
  const { paint, columns } = options;
  return renderTable(
    [
      { title: 'HASH', cell: (file) => file.hash.slice(0, 12), paint: paint.dim },
      { title: 'SIZE', align: 'right', cell: (file) => formatBytes(file.size) },
      ...(files.some(({ mode }) => mode) ? [{ title: 'MODE', cell: (file: WorkspaceFile) => file.mode ?? '' }] : []),
      { title: 'PATH', cell: (file) => toPrintable(file.path) },
    ],
    files,
    { width: columns, title: paint.dim },
  );
}
