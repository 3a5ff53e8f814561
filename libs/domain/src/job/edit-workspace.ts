import { getReservedReason } from '../workspace/reserved-files.js';
import type { FileEntry } from '../phase/file-events.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { changeTree, type PhaseTree } from '../phase/state/tree.js';
import type { ControlDecision } from './control-decision.js';
import type { JobEventData } from './job-events.js';
import type { JobState } from './job-state.js';

/** A request of a person to change one file. Without `file`, the file is deleted. */
export interface FileEdit {
  readonly path: string;
  readonly file?: Omit<FileEntry, 'writtenAt'>;
  readonly reason?: string;
  /** What the person saw: the hash of the current content, or that there is no such file. Absent when any content may be replaced. */
  readonly expected?: string | 'none';
}

/**
 * Decides on the edit of a file by a person. A running phase receives it in the same commit, and a message that names it; otherwise the
 * next phase does. `tree` contains the current files, with edits that no phase has received yet.
 */
export function editWorkspace(
  tree: PhaseTree,
  phase: PhaseState | undefined,
  actor: string,
  edit: FileEdit,
  now: Date,
): ControlDecision {
  const { path, file, reason, expected } = edit;
  const current = Object.hasOwn(tree, path) ? tree[path] : undefined;
  const reserved = getReservedReason(path);
  if (reserved !== undefined) return { kind: 'refused', reason: reserved };
  if (expected === 'none' && current) return { kind: 'file-changed', reason: `${path} exists` };
  if (expected !== undefined && expected !== 'none' && expected !== current?.hash)
    return {
      kind: 'file-changed',
      reason: current ? `${path} has other content now, with the hash ${current.hash}` : `there is no file ${path}`,
    };
  if (current?.hash === file?.hash && current?.mode === file?.mode) return { kind: 'nothing-to-do' };
  const clash = file && !current ? findFolderClash(tree, path) : undefined;
  if (clash !== undefined) return { kind: 'refused', reason: clash };
  const data: JobEventData<'WorkspaceEdited'> = {
    actor,
    path,
    ...(file ? { file: { ...file, writtenAt: now.toISOString() } } : {}),
    ...(current ? { previousHash: current.hash } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(phase ? { phase: phase.start.identity.phase } : {}),
  };
  return { kind: 'record', job: [{ type: 'WorkspaceEdited', data }], activePhase: phase ? buildEditEvents(data) : [] };
}

/** What a running phase records about an edit: the file, and the message that names it. */
export function buildEditEvents(data: JobEventData<'WorkspaceEdited'>): readonly PhaseEvent[] {
  const { path, file, actor } = data;
  return [
    file
      ? { type: 'FileWritten', data: { path, ...file, origin: 'person' } }
      : { type: 'FileDeleted', data: { path, origin: 'person' } },
    { type: 'PhaseSteered', data: { actor, message: describeEdit(data) } },
  ];
}

/** Describes an edit for the model. */
export function describeEdit({ path, file, reason }: JobEventData<'WorkspaceEdited'>): string {
  const change = file
    ? `I wrote the file ${path} (${file.size} bytes). Read it again before you rely on it.`
    : `I deleted the file ${path}.`;
  return reason === undefined ? change : `${change} Reason: ${reason}`;
}

/** Returns the files of a job after its last phase, with what was written since then. `tree` is that of the last phase. */
export function listJobFiles({ edits, completionFile }: JobState, tree: PhaseTree): Record<string, FileEntry> {
  const files = applyEdits(tree, edits);
  if (completionFile) changeTree(files, { type: 'FileWritten', data: completionFile });
  return files;
}

/** Returns a copy of a tree with the edits that no phase has received yet. */
export function applyEdits(tree: PhaseTree, edits: JobState['edits']): Record<string, FileEntry> {
  const changed = { ...tree };
  for (const { path, file } of edits ?? [])
    changeTree(
      changed,
      file ? { type: 'FileWritten', data: { path, ...file } } : { type: 'FileDeleted', data: { path } },
    );
  return changed;
}

function findFolderClash(tree: PhaseTree, path: string): string | undefined {
  const parts = path.split('/');
  for (let end = 1; end < parts.length; end += 1) {
    const parent = parts.slice(0, end).join('/');
    if (Object.hasOwn(tree, parent)) return `${parent} is a file, so ${path} cannot be below it`;
  }
  const below = `${path}/`;
  return Object.keys(tree).some((other) => other.startsWith(below)) ? `${path} is a folder` : undefined;
}
