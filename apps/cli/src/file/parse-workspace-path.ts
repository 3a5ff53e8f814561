import { UsageError } from '../command/command-errors.js';
import { toPrintable } from '../output/printable.js';

/** Normalises a path as users type it (`./output/a.md`, `output/`) to a path in the workspace. Throws UsageError. */
export function parseWorkspacePath(text: string): string {
  const path = text.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
  const parts = path.split('/');
  if (path !== '' && !parts.some((part) => part === '' || part === '.' || part === '..')) return path;
  throw new UsageError(
    `${toPrintable(JSON.stringify(text))} is not a path in a workspace. Give a path relative to the workspace, such as output/summary.md.`,
  );
}
