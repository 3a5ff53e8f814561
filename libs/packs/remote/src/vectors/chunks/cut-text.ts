/** A part of a file: lines, 1-based and both included, and their words. */
export interface TextChunk {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Some 300 tokens: small enough to be about one thing, large enough to say it. */
const CHUNK_CHARACTERS = 1_200;
/** Lines of the chunk before that are repeated, so that what stands across the cut is found too. */
const OVERLAP_CHARACTERS = 150;

/** Cuts a text along its lines: at headings and blank lines where they come in time, inside a line only when it is too long. */
export function cutText(text: string): readonly TextChunk[] {
  const lines = text.split(/\r\n|\r|\n/);
  const chunks: TextChunk[] = [];
  let start = 0;
  while (start < lines.length) {
    const end = endOf(lines, start);
    const words = lines.slice(start, end).join('\n');
    for (let at = 0; at < words.length; at += CHUNK_CHARACTERS) {
      const part = words.slice(at, at + CHUNK_CHARACTERS).toWellFormed();
      if (part.trim() !== '') chunks.push({ from: start + 1, to: end, text: part });
    }
    start = end >= lines.length ? end : overlapFrom(lines, start, end);
  }
  return chunks;
}

/** The line behind the chunk that begins at `start`. */
function endOf(lines: readonly string[], start: number): number {
  let length = 0;
  let good = start;
  for (let i = start; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    length += line.length + 1;
    if (length > CHUNK_CHARACTERS) return good > start && length > CHUNK_CHARACTERS ? good : Math.max(i, start + 1);
    // A heading begins something new; what stands before it is whole.
    if (i > start && /^#{1,6}\s/.test(line) && length > CHUNK_CHARACTERS / 3) return i;
    if (line.trim() === '' && length > CHUNK_CHARACTERS / 2) good = i + 1;
  }
  return lines.length;
}

function overlapFrom(lines: readonly string[], start: number, end: number): number {
  let from = end;
  let length = 0;
  while (from - 1 > start) {
    const line = lines[from - 1] ?? '';
    length += line.length + 1;
    // Behind a heading or a blank line nothing belongs to what comes.
    if (length > OVERLAP_CHARACTERS || line.trim() === '' || /^#{1,6}\s/.test(lines[end] ?? '')) break;
    from -= 1;
  }
  return from;
}
