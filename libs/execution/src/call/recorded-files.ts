import type { PhaseEvent } from '@phaseline/domain';
import type { FileChange } from '@phaseline/workspace';

/** Returns the file changes of a recorded call, to apply them again. Their bytes are already in the database. */
export function toFileChanges(facts: readonly PhaseEvent[]): FileChange[] {
  return facts.flatMap((fact): FileChange[] => {
    if (fact.type === 'FileDeleted') return [{ path: fact.data.path, deleted: true }];
    if (fact.type !== 'FileWritten') return [];
    const { path, hash, size } = fact.data;
    return [{ path, stored: { hash, size } }];
  });
}
