import type { PhaseEvent } from '@phaseline/domain';
import type { FileChange } from '@phaseline/workspace';

/** The files that a recorded call changed, as changes to make again. Their bytes are in the database already. */
export function recordedFiles(facts: readonly PhaseEvent[]): FileChange[] {
  return facts.flatMap((fact): FileChange[] => {
    if (fact.type === 'FileDeleted') return [{ path: fact.data.path, deleted: true }];
    if (fact.type !== 'FileWritten') return [];
    const { path, hash, size } = fact.data;
    return [{ path, stored: { hash, size } }];
  });
}
