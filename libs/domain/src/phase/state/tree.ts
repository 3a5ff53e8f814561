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
