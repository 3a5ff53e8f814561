import { LRUCache } from 'lru-cache';
import { createYielder } from '@phaseline/basics';
import { QuoteIndex, type SourceBlock, type StoredSource } from '@phaseline/documents';

const MAX_CACHED_INDEXES = 3;
const cachedIndexes = new LRUCache<string, QuoteIndex>({ max: MAX_CACHED_INDEXES });

/** Returns the index that finds quotations in a stored source by the lines of its file. Excludes lines before `textFrom`. */
export async function getSourceIndex(source: StoredSource, text: string): Promise<QuoteIndex> {
  const known = cachedIndexes.get(source.textSha256);
  if (known) return known;
  const index = await QuoteIndex.prepare({ format: 'text', ...(await readBlocks(text, source.textLine)), notes: [] });
  cachedIndexes.set(source.textSha256, index);
  return index;
}

/**
 * Returns the lines of a stored source as blocks. It is not parsed as Markdown: what looks like markup was text on the page, and
 * would be lost.
 */
async function readBlocks(text: string, textFrom: number): Promise<{ blocks: SourceBlock[]; units: number }> {
  const yieldIfDue = createYielder();
  const lines = text.split('\n');
  const blocks: SourceBlock[] = [];
  const trail: { level: number; text: string }[] = [];
  for (const [number, line] of lines.entries()) {
    const pause = yieldIfDue();
    if (pause) await pause;
    if (number + 1 < textFrom || line.trim() === '' || /^<!-- page \d+ -->$/.test(line)) continue;
    const [, marks, title] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
    const level = marks?.length;
    while (level !== undefined && (trail.at(-1)?.level ?? 0) >= level) trail.pop();
    const words = (title ?? line.replace(/^\s*(?:[-*] |> )/, '')).trim();
    const section = trail.map((one) => one.text);
    for (const part of splitLine(words)) {
      const place = { text: part, section, marks: [[0, number + 1] as [number, number]] };
      blocks.push(level === undefined ? { kind: 'paragraph', ...place } : { kind: 'heading', level, ...place });
    }
    if (level !== undefined) trail.push({ level, text: words });
  }
  return { blocks, units: lines.length };
}

/** Maximum characters per block. Longer lines are cut at spaces, because a block is processed without yielding. Quotations may span blocks. */
const MAX_BLOCK_CHARACTERS = 20_000;

function* splitLine(words: string): Generator<string> {
  let from = 0;
  while (words.length - from > MAX_BLOCK_CHARACTERS) {
    const space = words.lastIndexOf(' ', from + MAX_BLOCK_CHARACTERS);
    // A cut within a word would create two different words.
    const end = space > from ? space : words.indexOf(' ', from + MAX_BLOCK_CHARACTERS);
    if (end < 0) break;
    yield words.slice(from, end);
    from = end + 1;
  }
  yield words.slice(from);
}
