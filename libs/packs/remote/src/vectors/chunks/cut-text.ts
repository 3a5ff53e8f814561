/** A part of a file: its text and its line range, 1-based and inclusive. */
export interface TextChunk {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** About 300 tokens: small enough to cover one topic, large enough to be understood. */
const MAX_CHUNK_CHARACTERS = 1_200;
/** Maximum overlap with the previous chunk, in whole lines, so that text across a boundary is found. */
const MAX_OVERLAP_CHARACTERS = 150;

/** Cuts a text into chunks at line breaks, preferably at headings and blank lines. Cuts inside a line only if it is too long. */
export function cutText(text: string): readonly TextChunk[] {
  const lines = text.split(/\r\n|\r|\n/);
  const chunks: TextChunk[] = [];
  let start = 0;
  while (start < lines.length) {
    const end = findEnd(lines, start);
    const words = lines.slice(start, end).join('\n');
    for (let at = 0; at < words.length; at += MAX_CHUNK_CHARACTERS) {
      const part = words.slice(at, at + MAX_CHUNK_CHARACTERS).toWellFormed();
      if (part.trim() !== '') chunks.push({ from: start + 1, to: end, text: part });
    }
    start = end >= lines.length ? end : findOverlapStart(lines, start, end);
  }
  return chunks;
}

/** Finds the end (exclusive line index) of the chunk that starts at `start`. */
function findEnd(lines: readonly string[], start: number): number {
  let length = 0;
  let preferredEnd = start;
  for (let i = start; i < lines.length; i += 1) {
    const line = lines[i] ?? '';
    length += line.length + 1;
    if (length > MAX_CHUNK_CHARACTERS) return preferredEnd > start ? preferredEnd : Math.max(i, start + 1);
    // A heading starts a new topic, so cut before it.
    if (i > start && /^#{1,6}\s/.test(line) && length > MAX_CHUNK_CHARACTERS / 3) return i;
    if (line.trim() === '' && length > MAX_CHUNK_CHARACTERS / 2) preferredEnd = i + 1;
  }
  return lines.length;
}

function findOverlapStart(lines: readonly string[], start: number, end: number): number {
  let from = end;
  let length = 0;
  while (from - 1 > start) {
    const line = lines[from - 1] ?? '';
    length += line.length + 1;
    // No overlap across a blank line or into a chunk that starts with a heading.
    if (length > MAX_OVERLAP_CHARACTERS || line.trim() === '' || /^#{1,6}\s/.test(lines[end] ?? '')) break;
    from -= 1;
  }
  return from;
}
