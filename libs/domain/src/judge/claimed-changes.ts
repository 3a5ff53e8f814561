import type { PhaseState } from '../phase/phase-state.js';
import type { ClaimSubject } from '../phase/discipline-events.js';
import { findHash, type PhaseTree } from '../phase/state/tree.js';

/** A file that changed for a claim, by the content hashes before and after; a file that did not exist has none. */
export interface ClaimedChange {
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Folders and files that the system writes. They are no work of the agent. */
const SYSTEM_PATHS = /^(?:archive\/|tool_results\/|errors\/|todos\.yaml$|output\/completion\.json$)/;

/**
 * The files that changed since the claimed todo began, or since the phase, or the work on its item, began for any other
 * claim, in order of their paths.
 */
export function listClaimedChanges({ start, tree, work }: PhaseState, subject: ClaimSubject): readonly ClaimedChange[] {
  const changes =
    subject.kind === 'todo'
      ? Object.entries(work.changedFiles).map(([path, { before }]): ClaimedChange => ({
          path,
          before: before ?? undefined,
          after: findHash(tree, path),
        }))
      : [...listTreeChanges(start.workspace.tree, tree, start.plan.itemChanges)];
  return changes
    .filter(({ path, before, after }) => before !== after && !SYSTEM_PATHS.test(path))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Lists the changes of a phase. `earlier` are those that other phases made for the same item: they are compared with what was before them. */
function listTreeChanges(
  before: PhaseTree,
  after: PhaseTree,
  earlier: PhaseState['start']['plan']['itemChanges'] = [],
): readonly ClaimedChange[] {
  const known = new Map(earlier.map((one) => [one.path, one.before]));
  const paths = new Set([...Object.keys(before), ...Object.keys(after), ...known.keys()]);
  return [...paths].map((path) => ({
    path,
    before: known.has(path) ? known.get(path) : findHash(before, path),
    after: findHash(after, path),
  }));
}
