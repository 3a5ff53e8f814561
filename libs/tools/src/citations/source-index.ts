import { yielding } from '../yield-loop.js';
import { QuoteIndex } from '../documents/citation/find-quote.js';
import type { SourceBlock } from '../documents/format/source-document.js';
import type { KeptSource } from '../search/kept-sources.js';

const KEPT_INDEXES = 3;
const kept = new Map<string, QuoteIndex>();

/** A kept source prepared to be searched for quotations, by the lines of its file. The text before `textFrom` is no part of it. */
export async function sourceIndex(source: KeptSource, text: string): Promise<QuoteIndex> {
  const known = kept.get(source.textSha256);
  if (known) return known;
  const index = await QuoteIndex.prepare({ format: 'text', ...(await readKept(text, source.textFrom)), notes: [] });
  kept.set(source.textSha256, index);
  for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - KEPT_INDEXES))) kept.delete(oldest);
  return index;
}

/**
 * The lines of a kept source as blocks. It is not read as Markdown: what looks like markup in it was text on the page, and
 * would be lost.
 */
async function readKept(text: string, textFrom: number): Promise<{ blocks: SourceBlock[]; units: number }> {
  const breathe = yielding();
  const lines = text.split('\n');
  const blocks: SourceBlock[] = [];
  const trail: { level: number; text: string }[] = [];
  for (const [number, line] of lines.entries()) {
    const pause = breathe();
    if (pause) await pause;
    if (number + 1 < textFrom || line.trim() === '' || /^<!-- page \d+ -->$/.test(line)) continue;
    const [, marks, title] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
    const level = marks?.length;
    while (level !== undefined && (trail.at(-1)?.level ?? 0) >= level) trail.pop();
    const words = (title ?? line.replace(/^\s*(?:[-*] |> )/, '')).trim();
    const section = trail.map((one) => one.text);
    for (const part of piecesOf(words)) {
      const place = { text: part, section, marks: [[0, number + 1] as [number, number]] };
      blocks.push(level === undefined ? { kind: 'paragraph', ...place } : { kind: 'heading', level, ...place });
    }
    if (level !== undefined) trail.push({ level, text: words });
  }
  return { blocks, units: lines.length };
}

/** A longer line is cut at spaces, since a block is worked on without a pause. Quotations may go from one block to the next. */
const LONGEST_BLOCK = 20_000;

function* piecesOf(words: string): Generator<string> {
  let from = 0;
  while (words.length - from > LONGEST_BLOCK) {
    const space = words.lastIndexOf(' ', from + LONGEST_BLOCK);
    // Within a word nothing can be cut: the words around the cut would be others.
    const end = space > from ? space : words.indexOf(' ', from + LONGEST_BLOCK);
    if (end < 0) break;
    yield words.slice(from, end);
    from = end + 1;
  }
  yield words.slice(from);
}
