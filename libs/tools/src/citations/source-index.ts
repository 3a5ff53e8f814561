import { QuoteIndex } from '../documents/citation/find-quote.js';
import type { SourceBlock } from '../documents/format/source-document.js';
import type { KeptSource } from '../search/kept-sources.js';

const KEPT_INDEXES = 3;
const kept = new Map<string, QuoteIndex>();

/** A kept source prepared to be searched for quotations, by the lines of its file. The text before `textFrom` is no part of it. */
export function sourceIndex(source: KeptSource, text: string): QuoteIndex {
  const known = kept.get(source.textSha256);
  if (known) return known;
  const index = new QuoteIndex({ format: 'text', ...readKept(text, source.textFrom), notes: [] });
  kept.set(source.textSha256, index);
  for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - KEPT_INDEXES))) kept.delete(oldest);
  return index;
}

/**
 * The lines of a kept source as blocks. It is not read as Markdown: what looks like markup in it was text on the page, and
 * would be lost.
 */
function readKept(text: string, textFrom: number): { blocks: SourceBlock[]; units: number } {
  const lines = text.split('\n');
  const blocks: SourceBlock[] = [];
  const trail: { level: number; text: string }[] = [];
  lines.forEach((line, number) => {
    if (number + 1 < textFrom || line.trim() === '' || /^<!-- page \d+ -->$/.test(line)) return;
    const [, marks, title] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
    const level = marks?.length;
    while (level !== undefined && (trail.at(-1)?.level ?? 0) >= level) trail.pop();
    const words = (title ?? line.replace(/^\s*(?:[-*] |> )/, '')).trim();
    const place = { text: words, section: trail.map((one) => one.text), marks: [[0, number + 1] as [number, number]] };
    blocks.push(level === undefined ? { kind: 'paragraph', ...place } : { kind: 'heading', level, ...place });
    if (level !== undefined) trail.push({ level, text: words });
  });
  return { blocks, units: lines.length };
}
