import { archivePath, renderArchive, TODOS_FILE, type PhaseEventData } from '@phaseline/domain';
import type { RecordedPhase } from '@phaseline/repository';
import type { PendingCommit } from './pending-commit.js';
import { findRecordedArchive } from '../source/replay.js';

/**
 * Changes the todo files when a phase completes, in the same commit: writes the archive, and deletes a plan that was
 * handed over.
 */
export function archiveTodos(
  draft: PendingCommit,
  { outcome, plan, rewound }: PhaseEventData<'PhaseCompleted'>,
  recorded: RecordedPhase | undefined,
  now: Date,
): void {
  const { start, todos } = draft.state;
  const archived = recorded && findRecordedArchive(draft.state, recorded);
  if (archived) draft.recordWithStoredFiles({ type: 'FileWritten', data: archived });
  // A list that was given up is always archived: the next planning phase has to read it.
  else if (start.archive || rewound) {
    const endedAt = now.toISOString();
    const text = renderArchive({ phase: start.phase, name: start.name, endedAt, todos, rewound });
    draft.changeFiles([{ path: archivePath(start.phase), content: new TextEncoder().encode(text) }]);
  }
  // The next phase has taken the plan over. If the file remained, it would pass the gate again without any planning.
  const isExhausted = outcome === start.exhausted?.outcome && draft.state.tree[TODOS_FILE] !== undefined;
  if (plan !== undefined || isExhausted) draft.changeFiles([{ path: TODOS_FILE, deleted: true }]);
}
