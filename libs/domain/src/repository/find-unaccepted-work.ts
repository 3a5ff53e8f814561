import { REPOSITORY_FOLDER } from '@phaseline/contracts';
import type { PhaseState } from '../phase/phase-state.js';

/** What the claims of a phase say about the files of the repository at its end. */
export type RepositoryWorkState =
  | { readonly kind: 'accepted' }
  /** No claim of the phase was decided and it changed no file: the phase before it decides. */
  | { readonly kind: 'untouched' }
  | { readonly kind: 'unaccepted'; readonly reason: string };

/**
 * Finds out whether the files of the repository are those that the last accepted claim saw. They are if the phase completed, or if a todo
 * was completed and no call has changed them since; not while the last claim on a todo, or on the end of the phase, was refused.
 * `.git` does not count: a commit changes no file of the work.
 */
export function findUnacceptedWork({ end, guards, work, tree }: PhaseState): RepositoryWorkState {
  if (end?.kind === 'completed') return { kind: 'accepted' };
  const { todo = 0, phase = 0 } = guards.refusals;
  if (phase > 0) return { kind: 'unaccepted', reason: 'the last claim that the phase is done was refused' };
  if (todo > 0) return { kind: 'unaccepted', reason: 'the last claim that a todo is done was refused' };
  const changed = Object.entries(work.changedFiles).find(([path, { order, before }]) => {
    const isWork = path.startsWith(`${REPOSITORY_FOLDER}/`) && !path.startsWith(`${REPOSITORY_FOLDER}/.git/`);
    const current = Object.hasOwn(tree, path) ? tree[path]!.hash : null;
    return isWork && order > work.todoFrom && before !== current;
  });
  if (changed) return { kind: 'unaccepted', reason: `${changed[0]} has changed since the last accepted claim` };
  return { kind: work.completingCall === undefined ? 'untouched' : 'accepted' };
}
