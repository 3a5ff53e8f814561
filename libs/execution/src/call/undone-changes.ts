import type { CallId } from '@phaseline/contracts';
import type { PhaseEvent } from '@phaseline/domain';
import { normalisePath, type FileChange } from '@phaseline/workspace';

/** The changes of a call after those that are not allowed were undone. */
export interface KeptChanges {
  /** The changes that are taken in. */
  readonly files: readonly FileChange[];
  readonly events: readonly PhaseEvent[];
  /** Tells the agent which changes were undone; empty if none was. */
  readonly note: string;
}

/** Maximum number of files that the note names. A command can change thousands; the log names each. */
const MAX_NAMED_FILES = 20;

/** Leaves out the changes of files that are undone, given by path with the reason, and records each. */
export function undoChanges(
  callId: CallId,
  files: readonly FileChange[],
  undone: ReadonlyMap<string, string>,
): KeptChanges {
  if (undone.size === 0) return { files, events: [], note: '' };
  const named = [...undone].slice(0, MAX_NAMED_FILES).map(([path, reason]) => `${path}: ${reason}`);
  const more = undone.size > MAX_NAMED_FILES ? `; and ${undone.size - MAX_NAMED_FILES} more files` : '';
  return {
    files: files.filter(({ path }) => !undone.has(normalisePath(path))),
    events: [...undone].map(([path, reason]) => ({ type: 'ProtectedChangeUndone', data: { callId, path, reason } })),
    note: `\n\nNot taken in: ${named.join('; ')}${more}. These files have their content from before the call.`,
  };
}
