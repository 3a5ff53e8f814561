import { createHash } from 'node:crypto';
import { toCanonicalJson } from '@phaseline/basics';

/** A file of a guard set. */
export interface GuardSetFile {
  /** Relative to the folder that hooks see as `.claude`. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}

/**
 * Computes the version of a guard set: the hash of the paths, contents and modes of all its files, so that each change of a script is a new
 * version.
 */
export function computeGuardSetVersion(files: readonly GuardSetFile[]): string {
  const entries = files
    .map(({ path, content, isExecutable }): readonly [string, string, boolean] => [
      path,
      createHash('sha256').update(content).digest('hex'),
      isExecutable,
    ])
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256').update(toCanonicalJson(entries)).digest('hex');
}
