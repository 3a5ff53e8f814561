import { archivePath, renderArchive, renderPhaseSummary, TODOS_FILE, type PhaseEventData } from '@phaseline/domain';
import type { ResponseSource } from '../ports.js';
import type { PendingCommit } from './pending-commit.js';

/**
 * Changes the todo files when a phase completes, in the same commit: writes the archive, and deletes a plan that was
 * handed over.
 */
export function archiveTodos(
  commit: PendingCommit,
  { outcome, plan, rewound }: PhaseEventData<'PhaseCompleted'>,
  source: ResponseSource,
): void {
  const { start } = commit.state;
  const todos = commit.state.todos.list;
  // A list that was abandoned is always archived: the next planning phase has to read it.
  if (start.plan.archive || rewound)
    source.archiveTodos(commit, () => {
      const endedAt = commit.now.toISOString();
      const { phase, name } = start.identity;
      const summary = renderPhaseSummary(commit.state);
      const text = renderArchive({ phase, name, endedAt, todos, rewound, summary });
      commit.changeFiles([{ path: archivePath(start.identity.phase), content: new TextEncoder().encode(text) }]);
    });
  // The next phase has taken the plan over. If the file remained, it would pass the gate again without any planning.
  const isExhausted = outcome === start.routes.exhausted?.outcome && commit.state.tree[TODOS_FILE] !== undefined;
  if (plan !== undefined || isExhausted) commit.changeFiles([{ path: TODOS_FILE, deleted: true }]);
}
