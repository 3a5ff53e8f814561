import { UsageError } from '../command/command-errors.js';
import { printable } from '../output/printable.js';

/** A path as people type it (`./output/a.md`, `output/`), as the workspace names it. Throws UsageError. */
export function givenPath(text: string): string {
  const path = text.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
  const parts = path.split('/');
  if (path !== '' && !parts.some((part) => part === '' || part === '.' || part === '..')) return path;
  throw new UsageError(
    `${printable(JSON.stringify(text))} is not a path in a workspace. Paths are relative to the workspace and stay inside it, such as output/summary.md.`,
  );
}
