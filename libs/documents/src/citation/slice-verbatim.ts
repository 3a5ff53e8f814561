import { toSingleLine } from '@phaseline/basics';
import type { SourceBlock, SourceDocument } from '../source-document.js';

/**
 * Returns the words `[from, to)` of a block exactly as the source has them, with whitespace collapsed. For Markdown this is the raw
 * source with links and emphasis; for the other formats it is the visible text.
 */
export function sliceVerbatim(document: SourceDocument, block: SourceBlock, from: number, to: number): string {
  const plain = block.text.slice(from, to);
  if (document.format !== 'markdown' || document.raw === undefined || !block.runs) return plain;
  let start = findSourceOffset(block.runs, from, 'after');
  let end = findSourceOffset(block.runs, to - 1, 'before');
  if (start === undefined || end === undefined) return plain;
  end += measureEntity(document.raw, end);
  for (let i = 0; i + 3 < (block.wraps?.length ?? 0); i += 4) {
    const [textFrom = 0, textTo = 0, sourceFrom = 0, sourceTo = 0] = block.wraps?.slice(i, i + 4) ?? [];
    if (textFrom < from || textTo > to) continue;
    start = Math.min(start, sourceFrom);
    end = Math.max(end, sourceTo);
  }
  if (end <= start) return plain;
  const prefix = block.kind === 'quote' ? /\n[ \t]*(?:>[ \t]*)*/g : /\n[ \t]*/g;
  return toSingleLine(document.raw.slice(start, end).replace(prefix, ' '));
}

/** Returns the source offset of a character, or of the nearest character in the given direction that has one. */
function findSourceOffset(runs: readonly number[], offset: number, direction: 'before' | 'after'): number | undefined {
  let before: number | undefined;
  for (let i = 0; i + 2 < runs.length; i += 3) {
    const [start = 0, source = 0, length = 0] = [runs[i], runs[i + 1], runs[i + 2]];
    if (offset >= start && offset < start + length) return source + offset - start;
    if (start > offset) return direction === 'after' ? source : before;
    before = source + length - 1;
  }
  return direction === 'before' ? before : undefined;
}

/** Returns the number of source characters that the character at `at` occupies; an entity occupies several. */
function measureEntity(raw: string, at: number): number {
  if (raw[at] !== '&') return 1;
  return /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z0-9]{1,31});/i.exec(raw.slice(at, at + 36))?.[0].length ?? 1;
}
