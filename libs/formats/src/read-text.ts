import {
  BlockBuilder,
  InlineText,
  yieldOrAbort,
  countLines,
  type SourceBlock,
  type SourceDocument,
} from '@phaseline/documents';
import { detectHeadingLevel, findItemMarker } from './plain-structure.js';

interface Line {
  readonly number: number;
  readonly text: string;
  readonly indent: number;
}

/** Lines processed per turn of the event loop. */
const LINES_PER_TURN = 20_000;
/** Maximum lines per paragraph; longer ones are data and are cut. */
const MAX_PARAGRAPH_LINES = 500;

/**
 * Reads plain text. Paragraphs are separated by blank lines; headings are numbered, underlined or short single lines; items start
 * with a bullet or a number. Page breaks (form feeds) and the running heads around them are removed.
 */
export async function readText(source: string, signal: AbortSignal): Promise<SourceDocument> {
  const all = source.split('\n');
  const { blocks, dropped } = await readTextBlocks(
    all.map((text, i) => ({ text, number: i + 1 })),
    signal,
  );
  const notes = dropped > 0 ? [`${dropped} lines of page breaks and running headers were omitted.`] : [];
  return { format: 'text', blocks, units: countLines(source), notes, raw: source };
}

/** Reads lines of plain text into blocks. The lines may be any part of their source. */
export async function readTextBlocks(
  all: readonly { text: string; number: number }[],
  signal: AbortSignal,
): Promise<{ blocks: SourceBlock[]; dropped: number }> {
  const builder = new BlockBuilder();
  const lines = removePageBreaks(all);
  let group: Line[] = [];
  for (const [i, line] of lines.entries()) {
    if (i % LINES_PER_TURN === 0) await yieldOrAbort(signal);
    if (line.text !== '') group.push(line);
    if (group.length > 0 && (line.text === '' || group.length >= MAX_PARAGRAPH_LINES)) {
      addGroup(builder, group);
      group = [];
    }
  }
  if (group.length > 0) addGroup(builder, group);
  return { blocks: builder.blocks, dropped: all.length - lines.length };
}

function toLine(text: string, number: number): Line {
  return { number, text: text.trim(), indent: text.search(/\S/) };
}

/** Removes form feeds, which mark the end of a printed page, with the page footer before and the page header after them. */
function removePageBreaks(all: readonly { text: string; number: number }[]): Line[] {
  const lines = all.map(({ text, number }) => toLine(text, number));
  if (!all.some(({ text }) => text.includes('\f'))) return lines;
  const dropped = new Set<number>();
  all.forEach(({ text }, i) => {
    if (!text.includes('\f')) return;
    dropped.add(i);
    let before = i - 1;
    while (before > 0 && lines[before]?.text === '') dropped.add(before--);
    if (/\[?\b(?:page|seite)?\s*\d+\]?$/i.test(lines[before]?.text ?? '')) {
      dropped.add(before--);
      while (before > 0 && lines[before]?.text === '') dropped.add(before--);
    }
    let after = i + 1;
    if (text.replace('\f', '').trim() === '' && /\d{4}$/.test(lines[after]?.text ?? '')) dropped.add(after++);
    while (after < lines.length && lines[after]?.text === '') dropped.add(after++);
    // Join a sentence across the page break; otherwise keep a paragraph break.
    const isSentenceOpen = /[^.:;!?)]$/.test(lines[before]?.text ?? '.') && /^\p{Ll}/u.test(lines[after]?.text ?? '');
    if (!isSentenceOpen) dropped.delete(i);
  });
  return lines.flatMap((line, i) =>
    dropped.has(i) ? [] : all[i]?.text.includes('\f') ? [{ ...line, text: '' }] : [line],
  );
}

function addGroup(builder: BlockBuilder, group: readonly Line[]): void {
  const [first, second] = group;
  if (!first) return;
  if (second && /^(?:={3,}|-{3,}|~{3,}|\*{3,})$/.test(second.text) && !/^[=\-~*]/.test(first.text)) {
    builder.addHeading(second.text.startsWith('=') ? 1 : 2, buildInline([first]));
    if (group.length > 2) addGroup(builder, group.slice(2));
    return;
  }
  const level = group.length === 1 ? detectHeadingLevel(first.text) : undefined;
  if (level !== undefined) return builder.addHeading(level, buildInline([first]));
  if (group.every((line) => line.text.startsWith('|') || /^\+[-=+]+\+$/.test(line.text)))
    return addTable(builder, group);
  addItems(builder, group);
}

/** Splits a group of lines at its bullets; text before the first bullet is a paragraph. */
function addItems(builder: BlockBuilder, group: readonly Line[]): void {
  const starts = group.flatMap((line, i) => {
    const marker = findItemMarker(line.text);
    return marker &&
      (i === 0 ||
        marker.isUnambiguous ||
        line.indent > (group[i - 1]?.indent ?? 0) ||
        findItemMarker(group[0]?.text ?? ''))
      ? [i]
      : [];
  });
  const head = group.slice(0, starts[0] ?? group.length);
  if (head.length > 0) {
    // An indented paragraph right after an item belongs to it.
    const owner = findOwner(builder, head[0]);
    builder.add('paragraph', buildInline(head), { ...(owner !== undefined && { leadIn: owner }) });
  }
  starts.forEach((from, i) => {
    const lines = group.slice(from, starts[i + 1] ?? group.length);
    const marker = findItemMarker(lines[0]?.text ?? '');
    if (!lines[0] || !marker) return;
    const indent = lines[0].indent;
    const stripped = [{ ...lines[0], text: lines[0].text.slice(marker.length) }, ...lines.slice(1)];
    const leadIn = findLeadIn(builder, indent);
    const number = builder.add('list-item', buildInline(stripped), {
      level: leadIn.level,
      ...(leadIn.block !== undefined && { leadIn: leadIn.block }),
    });
    if (number !== undefined) indents.set(builder.blocks[number] as object, indent);
  });
}

/** Indentation of the items read so far, to find the parent of a deeper item. */
const indents = new WeakMap<object, number>();

function findLeadIn(builder: BlockBuilder, indent: number): { level: number; block?: number | undefined } {
  for (let i = builder.blocks.length - 1; i >= 0; i -= 1) {
    const block = builder.blocks[i];
    if (!block || block.kind === 'heading') break;
    const other = indents.get(block);
    if (other === undefined) {
      if (block.kind === 'paragraph' && block.leadIn === undefined) break;
      continue;
    }
    if (other === indent) return { level: block.level ?? 1, block: block.leadIn };
    if (other < indent) return { level: (block.level ?? 1) + 1, block: i };
  }
  return { level: 1, block: builder.findLeadIn() };
}

function findOwner(builder: BlockBuilder, line: Line | undefined): number | undefined {
  const last = builder.blocks.at(-1);
  const indent = last ? indents.get(last) : undefined;
  return indent !== undefined && line && line.indent > indent ? builder.blocks.length - 1 : undefined;
}

function addTable(builder: BlockBuilder, group: readonly Line[]): void {
  const leadIn = builder.findLeadIn();
  let header: string[] | undefined;
  for (const line of group) {
    if (/^[|+][-=+:| ]+$/.test(line.text)) continue;
    const inline = new InlineText();
    const cells: [number, number][] = [];
    line.text.replace(/^\|/, '').replace(/\|$/, '').split('|').forEach((cell, i) => {
      if (i > 0) {
        inline.breakWord();
        inline.push('|', line.number);
      }
      inline.breakWord();
      const from = inline.nextOffset;
      inline.push(cell.trim(), line.number);
      cells.push([from, Math.max(from, inline.text.length)]);
    }); // prettier-ignore
    builder.add('table-row', inline, { cells, ...(header && { header }), ...(leadIn !== undefined && { leadIn }) });
    header ??= cells.map(([from, to]) => inline.text.slice(from, to));
  }
}

function buildInline(lines: readonly Line[]): InlineText {
  const inline = new InlineText();
  for (const line of lines) {
    inline.breakWord();
    inline.push(line.text, line.number);
  }
  return inline;
}
