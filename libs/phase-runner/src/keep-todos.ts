import { archivePath, renderArchive, TODOS_FILE, type PhaseEventData } from '@phaseline/domain';
import type { RecordedPhase } from '@phaseline/history';
import type { Draft } from './draft.js';
import { recordedArchive } from './replay.js';

/** Files that change with the end of a phase, in the same commit: the archive, and the plan that was handed over. */
export function keepTodos(
  draft: Draft,
  { outcome, plan, rewound }: PhaseEventData<'PhaseCompleted'>,
  recorded: RecordedPhase | undefined,
  now: Date,
): void {
  const { start, todos } = draft.state;
  const archived = recorded && recordedArchive(draft.state, recorded);
  if (archived) draft.recordKnown({ type: 'FileWritten', data: archived });
  // A list that was given up is kept whatever the state says: whoever plans on has to read it.
  else if (start.archive || rewound) {
    const endedAt = now.toISOString();
    const text = renderArchive({ phase: start.phase, name: start.name, endedAt, todos, rewound });
    draft.change([{ path: archivePath(start.phase), content: new TextEncoder().encode(text) }]);
  }
  // Taken over by the next phase; left in place it would pass the gate again without anybody planning.
  const saidSo = outcome === start.exhausted?.outcome && draft.state.tree[TODOS_FILE] !== undefined;
  if (plan !== undefined || saidSo) draft.change([{ path: TODOS_FILE, deleted: true }]);
}
