import type { PhaseState } from '../phase/phase-state.js';
import type { ReplacedFile } from '../phase/start-events.js';
import { findHash, type PhaseTree } from '../phase/state/tree.js';
import { FIRST_TODO_FROM, findChangeOfPhase, findChangeOfTodo } from '../phase/state/work.js';

type Attempted = NonNullable<PhaseState['start']['workspace']['attempted']>;

/**
 * The files that calls of a failed attempt, and of those before it, changed. The next attempt continues the list of todos, so an agent that
 * writes the same text again has changed the file: it is compared with the content before the first attempt. `tree` contains the files of the
 * next attempt. A file that others changed meanwhile is compared with what they left.
 */
export function listAttemptedChanges(failed: PhaseState, tree: PhaseTree): Attempted | undefined {
  const { start, work } = failed;
  const known = start.workspace.attempted;
  const paths = [...new Set([...Object.keys(work.changedFiles), ...(known?.phase ?? []).map(({ path }) => path)])]
    .filter((path) => findHash(tree, path) === findHash(failed.tree, path))
    .sort();
  const list = (find: (path: string) => string | null | undefined): ReplacedFile[] =>
    paths.flatMap((path) => {
      const before = find(path);
      if (before === undefined || (before ?? undefined) === findHash(tree, path)) return [];
      return [before === null ? { path } : { path, before }];
    });
  const phase = list((path) => {
    const attempted = findAttempted(failed, 'phase', path);
    return attempted ? (attempted.before ?? null) : findChangeOfPhase(work, path)?.atStart;
  });
  const todo = list((path) => {
    const attempted = findAttempted(failed, 'todo', path);
    return attempted ? (attempted.before ?? null) : findChangeOfTodo(work, path)?.before;
  });
  return phase.length > 0 || todo.length > 0 ? { phase, todo } : undefined;
}

/** The change of a file in an earlier attempt; `undefined` if there was none, or if the todo of that attempt has ended. */
export function findAttempted(
  { start, work }: Pick<PhaseState, 'start' | 'work'>,
  since: keyof Attempted,
  path: string,
): ReplacedFile | undefined {
  if (since === 'todo' && work.todoFrom !== FIRST_TODO_FROM) return undefined;
  return start.workspace.attempted?.[since].find((one) => one.path === path);
}
