import type { FileEntry } from '../file-events.js';
import { keep, type ChangeEvent } from './changed-groups.js';

/** The files of the workspace, by path. */
export type PhaseTree = Readonly<Record<string, FileEntry>>;

/** A copy of the tree that only one fold can see, and may therefore change in place. */
export type OwnTree = Record<string, FileEntry>;

export type FileEvent = Extract<ChangeEvent, { readonly type: 'FileWritten' | 'FileDeleted' }>;

export function foldTree(tree: PhaseTree, event: ChangeEvent): PhaseTree {
  switch (event.type) {
    case 'FileWritten':
    case 'FileDeleted': {
      const copy = { ...tree };
      changeTree(copy, event);
      return copy;
    }
    default:
      return keep(tree, 'tree', event);
  }
}

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
