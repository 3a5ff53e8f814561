import type { SourceBlock, SourceDocument } from '../format/source-document.js';

/**
 * The words `[from, to)` of a block exactly as the source has them, with white space collapsed. For Markdown this is the
 * source itself, links and emphasis included; the other formats have no such text, there it is what a reader sees.
 */
export function verbatim(document: SourceDocument, block: SourceBlock, from: number, to: number): string {
  const plain = block.text.slice(from, to);
  if (document.format !== 'markdown' || document.raw === undefined || !block.runs) return plain;
  let start = sourceOffset(block.runs, from, 'after');
  let end = sourceOffset(block.runs, to - 1, 'before');
  if (start === undefined || end === undefined) return plain;
  end += entityLength(document.raw, end);
  for (let i = 0; i + 3 < (block.wraps?.length ?? 0); i += 4) {
    const [textFrom = 0, textTo = 0, sourceFrom = 0, sourceTo = 0] = block.wraps?.slice(i, i + 4) ?? [];
    if (textFrom < from || textTo > to) continue;
    start = Math.min(start, sourceFrom);
    end = Math.max(end, sourceTo);
  }
  if (end <= start) return plain;
  const prefix = block.kind === 'quote' ? /\n[ \t]*(?:>[ \t]*)*/g : /\n[ \t]*/g;
  return document.raw.slice(start, end).replace(prefix, ' ').replace(/\s+/g, ' ').trim();
}

/** The offset in the source of a character of the text, or of the nearest one in the given direction that has any. */
function sourceOffset(runs: readonly number[], offset: number, direction: 'before' | 'after'): number | undefined {
  let before: number | undefined;
  for (let i = 0; i + 2 < runs.length; i += 3) {
    const [start = 0, source = 0, length = 0] = [runs[i], runs[i + 1], runs[i + 2]];
    if (offset >= start && offset < start + length) return source + offset - start;
    if (start > offset) return direction === 'after' ? source : before;
    before = source + length - 1;
  }
  return direction === 'before' ? before : undefined;
}

/** How many characters of the source the character at `at` takes: an entity takes several. */
function entityLength(raw: string, at: number): number {
  if (raw[at] !== '&') return 1;
  return /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z0-9]{1,31});/i.exec(raw.slice(at, at + 36))?.[0].length ?? 1;
}
