import { createYielder } from '@phaseline/basics';
import type { FileVersion } from './file-version.js';
import { matchLines, type Lines } from './match-lines.js';

/** Maximum size of an explained file in bytes, and maximum number of its lines. */
export const EXPLAIN_LIMITS = { bytes: 2 * 1024 * 1024, lines: 50_000 } as const;

/** Bytes of content that are compared before the search for the origin of the remaining lines ends. */
const MAX_COMPARED_BYTES = 256 * 1024 * 1024;

/** The version that wrote a line. */
export interface LineOrigin {
  readonly version: FileVersion;
  /**
   * Whether the line may be older: a version before this one cannot be compared, because its content was removed or is too large, or
   * because the history is longer than what is compared.
   */
  readonly mayBeOlder: boolean;
}

/** Lines of a version. `none`: it is not text, so that no line of a later version can be from it. `unknown`: it cannot be compared. */
export type ReadLines = (version: FileVersion) => Promise<Lines | 'none' | 'unknown'>;

/**
 * Finds for each line of a version of a file the version that wrote it, as `git blame` does: a line keeps its origin as long as a
 * difference of two versions contains it unchanged. Goes back from the newest version, and reads only as many as it needs.
 * `wanted`: indexes of the lines to attribute; default: all. Other lines are undefined in the result.
 */
export async function attributeLines(
  newest: FileVersion,
  lines: Lines,
  readLines: ReadLines,
  wanted: readonly number[] = lines.map((_, index) => index),
  maxBytes = MAX_COMPARED_BYTES,
): Promise<readonly (LineOrigin | undefined)[]> {
  const origins = new Array<LineOrigin | undefined>(lines.length).fill(undefined);
  const yieldIfDue = createYielder();
  /** Lines without an origin: their index in the newest version, and in the current one. */
  let open: readonly { readonly line: number; readonly at: number }[] = wanted.map((line) => ({ line, at: line }));
  let current = { version: newest, lines };
  let bytes = newest.size;
  while (open.length > 0) {
    const before = await findComparable(current.version, readLines, maxBytes - bytes);
    const matches = before.lines && (await matchLines(before.lines, current.lines));
    const remaining: { line: number; at: number }[] = [];
    for (const { line, at } of open) {
      const match = matches?.[at] ?? -1;
      if (match >= 0) remaining.push({ line, at: match });
      else origins[line] = { version: before.firstAfter, mayBeOlder: before.hasGap };
    }
    open = remaining;
    if (!before.lines) break;
    current = { version: before.version, lines: before.lines };
    bytes += before.bytes;
    await yieldIfDue();
  }
  return origins;
}

interface Comparable {
  /** The version that wrote the lines of the current one that `lines` does not contain. */
  readonly firstAfter: FileVersion;
  /** Whether there are versions in between that cannot be compared. */
  readonly hasGap: boolean;
  readonly bytes: number;
}

/** Finds the last version with other content that can be compared with a version. Without `lines`, there is none. */
async function findComparable(
  version: FileVersion,
  readLines: ReadLines,
  bytesLeft: number,
): Promise<Comparable & ({ readonly lines: Lines; readonly version: FileVersion } | { readonly lines?: never })> {
  let hasGap = false;
  let firstAfter = version;
  for (let before = version.previous; before; before = before.previous) {
    if (before.hash === version.hash && !hasGap) {
      firstAfter = before;
      continue;
    }
    if (before.size > EXPLAIN_LIMITS.bytes) {
      hasGap = true;
      continue;
    }
    if (before.size > bytesLeft) return { firstAfter, hasGap: true, bytes: 0 };
    const lines = await readLines(before);
    if (lines === 'none') return { firstAfter, hasGap, bytes: 0 };
    if (lines !== 'unknown') return { firstAfter, hasGap, bytes: before.size, lines, version: before };
    hasGap = true;
  }
  return { firstAfter, hasGap, bytes: 0 };
}
