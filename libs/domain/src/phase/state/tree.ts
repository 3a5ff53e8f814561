import type { FileEntry } from '../file-events.js';
import type { ChangeEvent } from './changed-groups.js';

/** The files of the workspace, by path. */
export type PhaseTree = Readonly<Record<string, FileEntry>>;

/** A copy of the tree that only one fold can see, and may therefore change in place. */
export type OwnTree = Record<string, FileEntry>;

export type FileEvent = Extract<ChangeEvent, { readonly type: 'FileWritten' | 'FileDeleted' }>;

/** Applies an event to a tree in place. */
export function changeTree(tree: OwnTree, event: FileEvent): void {
  if (event.type === 'FileDeleted') {
    delete tree[event.data.path];
    return;
  }
  const { path, hash, size, writtenAt, mode } = event.data;
  // Assigning to a path such as `__proto__` would not create a property.
  const value: FileEntry = { hash, size, writtenAt, ...(mode === undefined ? {} : { mode }) };
  Object.defineProperty(tree, path, { value, enumerable: true, configurable: true, writable: true });
}

/** The hash of a file, if the tree contains it. A path can be the name of a member that every object has. */
export function findHash(tree: PhaseTree, path: string): string | undefined {
  return Object.hasOwn(tree, path) ? tree[path]!.hash : undefined;
}

/** Paths that two trees have with different content, in order. */
export function listChangedFiles(before: PhaseTree, after: PhaseTree): readonly string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => findHash(before, path) !== findHash(after, path)).sort();
}
