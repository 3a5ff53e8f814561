import { REPOSITORY_FOLDER } from '@phaseline/contracts';
import type { PhaseState } from '../phase/phase-state.js';
import { currentTodo } from '../todo/todo.js';

/** What the claims of a phase say about the files of the repository at its end. */
export type RepositoryWorkState =
  | { readonly kind: 'accepted' }
  /** The phase says nothing about the files; the phase before it decides. */
  | { readonly kind: 'untouched' }
  | { readonly kind: 'unaccepted'; readonly reason: string };

/**
 * Finds out whether the files of the repository are those that the last accepted claim saw. They are if the phase completed all its todos, or
 * if a todo was completed and no call has changed them since; not while the last claim on a todo, or on the end of the phase, was refused.
 * `.git` does not count: a commit changes no file of the work. A phase that ended with open todos, because it abandoned its list or
 * returned early, has accepted no more than its completed todos.
 */
export function findUnacceptedWork(state: PhaseState): RepositoryWorkState {
  const { end, guards, work, todos, tree } = state;
  const accepted: RepositoryWorkState = { kind: isOnlyAboutPlan(state) ? 'untouched' : 'accepted' };
  if (end?.kind === 'completed' && !currentTodo(todos.list)) return accepted;
  const { todo = 0, phase = 0 } = guards.refusals;
  if (phase > 0) return { kind: 'unaccepted', reason: 'the last claim that the phase is done was refused' };
  if (todo > 0) return { kind: 'unaccepted', reason: 'the last claim that a todo is done was refused' };
  const changed = Object.entries(work.changedFiles).find(([path, { order, before }]) => {
    const current = Object.hasOwn(tree, path) ? tree[path]!.hash : null;
    return isWork(path) && order > work.todoFrom && before !== current;
  });
  if (changed) return { kind: 'unaccepted', reason: `${changed[0]} has changed since the last accepted claim` };
  return work.completingCall === undefined ? { kind: 'untouched' } : accepted;
}

/**
 * Whether the claims of a phase are about the plan only: it planned, changed no file of the repository, and did not complete the job.
 * Otherwise the plan after an abandoned list would accept the work that was abandoned.
 */
function isOnlyAboutPlan({ start, end, work }: PhaseState): boolean {
  if (start.identity.kind !== 'strategic' || (end?.kind === 'completed' && end.completion)) return false;
  return !Object.keys(work.changedFiles).some(isWork);
}

function isWork(path: string): boolean {
  return path.startsWith(`${REPOSITORY_FOLDER}/`) && !path.startsWith(`${REPOSITORY_FOLDER}/.git/`);
}
