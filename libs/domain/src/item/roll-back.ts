import { ARCHIVE_DIRECTORY } from '../todo/todo-archive.js';
import type { JobEvent } from '../job/job-events.js';
import { listChangedFiles, type PhaseTree } from '../phase/state/tree.js';

/** Path of the patch with the work on a blocked item. */
export function archivedPatchPath(item: string): string {
  return `${ARCHIVE_DIRECTORY}/blocked_${item}.patch`;
}

/** The workspace after the work on a blocked item was taken back. */
interface RolledBack {
  readonly tree: PhaseTree;
  readonly event: JobEvent;
}

/** Returns the workspace to the files with which the work on an item began, in the phase `to`, and keeps the archive, from which later phases learn. */
export function rollBack(current: PhaseTree, began: PhaseTree, to: number, handoff: string | undefined): RolledBack {
  const kept = Object.entries(current).filter(([path]) => path.startsWith(`${ARCHIVE_DIRECTORY}/`));
  const tree = { ...began, ...Object.fromEntries(kept) };
  const changed = listChangedFiles(current, tree);
  const restored = changed.filter((path) => Object.hasOwn(tree, path)).length;
  const ofHandoff = handoff === undefined ? {} : { handoff };
  return {
    tree,
    event: { type: 'HandoffRolledBack', data: { ...ofHandoff, to, restored, deleted: changed.length - restored } },
  };
}
