import type { Blobs } from '@phaseline/event-store';
import { createTwoFilesPatch } from 'diff';
import type { FileChanges } from './diff-jobs.js';

/** Maximum size of a file in bytes that gets a text diff. */
export const MAX_DIFF_BYTES = 256 * 1024;
/** Maximum number of text diffs per response. */
const MAX_TEXT_DIFFS = 50;
/** Timeout of one diff. Two long texts without a common line would take minutes and give a patch of no use. */
const DIFF_TIMEOUT_MS = 300;

export interface TextDiff {
  readonly path: string;
  /** A unified diff. */
  readonly patch?: string;
  /** Why there is no patch. */
  readonly omittedBecause?: 'too-large' | 'not-text' | 'too-different' | 'too-many';
}

interface Side {
  readonly hash: string;
  readonly size: number;
}

/** Creates unified diffs of the changed files that are small text files. */
export async function createTextDiffs(changes: FileChanges, blobs: Pick<Blobs, 'get'>): Promise<readonly TextDiff[]> {
  const pairs: readonly { readonly path: string; readonly from?: Side; readonly to?: Side }[] = [
    ...changes.added.map(({ path, ...to }) => ({ path, to })),
    ...changes.removed.map(({ path, ...from }) => ({ path, from })),
    ...changes.changed,
  ];
  const diffs: TextDiff[] = [];
  for (const { path, from, to } of pairs.toSorted((left, right) => (left.path < right.path ? -1 : 1)))
    diffs.push(
      diffs.length >= MAX_TEXT_DIFFS
        ? { path, omittedBecause: 'too-many' }
        : { path, ...(await textDiff(path, from, to, blobs)) },
    );
  return diffs;
}

async function textDiff(
  path: string,
  from: Side | undefined,
  to: Side | undefined,
  blobs: Pick<Blobs, 'get'>,
): Promise<Omit<TextDiff, 'path'>> {
  if ((from?.size ?? 0) > MAX_DIFF_BYTES || (to?.size ?? 0) > MAX_DIFF_BYTES) return { omittedBecause: 'too-large' };
  const [before, after] = [await readSmallText(from, blobs), await readSmallText(to, blobs)];
  if (before === undefined || after === undefined) return { omittedBecause: 'not-text' };
  const patch = createPatch(path, from && before, to && after);
  return patch === undefined ? { omittedBecause: 'too-different' } : { patch };
}

/** Creates a unified diff of two texts of a file; `undefined` where the file does not exist. Returns undefined if it takes too long. */
export function createPatch(path: string, before: string | undefined, after: string | undefined): string | undefined {
  const patch = createTwoFilesPatch(
    before === undefined ? '/dev/null' : `a/${path}`,
    after === undefined ? '/dev/null' : `b/${path}`,
    before ?? '',
    after ?? '',
    undefined,
    undefined,
    { timeout: DIFF_TIMEOUT_MS },
  );
  return patch?.replace(/^=+\n/, '');
}

/** Reads a file as text; undefined if it is not text, and empty if there is no file. */
export async function readSmallText(
  side: { readonly hash: string } | undefined,
  blobs: Pick<Blobs, 'get'>,
): Promise<string | undefined> {
  if (!side) return '';
  const bytes = await blobs.get(side.hash);
  if (!bytes || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
