import { BlockBuilder, InlineText, type SourceBlock } from '@phaseline/documents';
import { decideSeam, Vocabulary } from './pdf-hyphens.js';
import type { PdfLine } from './pdf-lines.js';
import { findPageElements } from './pdf-rows.js';
import { hasBulletSign, detectHeadingLevel, findItemMarker, looksLikeHeader } from './plain-structure.js';

/** The predominant typography of a document, against which each line is compared. */
interface Typography {
  readonly size: number;
  readonly font: string;
  /** Usual distance between two baselines, in units of the font size. */
  readonly leading: number;
  /** Font sizes above that of the body, largest first. The index of a size is the rank of a heading. */
  readonly headingSizes: readonly number[];
  /** Depth of each title in the document's outline. */
  readonly outline: ReadonlyMap<string, number>;
}

interface Group {
  kind: 'text' | 'row' | 'code' | 'heading';
  lines: PdfLine[];
  /** Cells of a table row, each a list of lines. */
  cells: readonly (readonly PdfLine[])[];
  level?: number;
}

const roundToHalf = (size: number): number => Math.round(size * 2) / 2;

/** Turns the lines of a PDF into blocks: headings, paragraphs across lines and pages, items, table rows, code. */
export function buildBlocks(lines: readonly PdfLine[], outline: ReadonlyMap<string, number>): SourceBlock[] {
  const type = measureTypography(lines, outline);
  const vocabulary = new Vocabulary();
  for (const line of lines) vocabulary.add(line.text);
  const builder = new BlockBuilder();
  const items: { x: number; block: number; level: number; leadIn: number | undefined }[] = [];
  let table: Table | undefined;
  for (const group of groupLines(lines, type)) {
    if (group.kind !== 'row') table = undefined;
    if (group.kind === 'heading') {
      items.length = 0;
      builder.addHeading(group.level ?? 1, joinLines(group.lines, vocabulary));
    } else if (group.kind === 'row') {
      items.length = 0;
      table = addRow(builder, group, vocabulary, table);
    } else if (group.kind === 'code') {
      builder.add('code', joinLines(group.lines, vocabulary));
    } else addText(builder, group, vocabulary, items, type);
  }
  return builder.blocks;
}

function measureTypography(lines: readonly PdfLine[], outline: ReadonlyMap<string, number>): Typography {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  const leadings = new Map<number, number>();
  lines.forEach((line, i) => {
    sizes.set(roundToHalf(line.size), (sizes.get(roundToHalf(line.size)) ?? 0) + line.text.length);
    fonts.set(line.font, (fonts.get(line.font) ?? 0) + line.text.length);
    const before = lines[i - 1];
    if (before && before.page === line.page && Math.abs(before.size - line.size) < 0.5) {
      const leading = Math.round(((line.y - before.y) / line.size) * 20) / 20;
      if (leading > 0.8 && leading < 2.6) leadings.set(leading, (leadings.get(leading) ?? 0) + 1);
    }
  });
  const size = findMostFrequent(sizes) ?? 10;
  return {
    size,
    font: findMostFrequent(fonts) ?? '',
    leading: findMostFrequent(leadings) ?? 1.2,
    headingSizes: [...sizes.keys()]
      .filter((other) => other >= size * 1.12)
      .sort((a, b) => b - a)
      .slice(0, 6),
    outline,
  };
}

function findMostFrequent<T>(counts: ReadonlyMap<T, number>): T | undefined {
  return [...counts].reduce<[T, number] | undefined>(
    (best, next) => (!best || next[1] > best[1] ? next : best),
    undefined,
  )?.[0];
}

export function normaliseOutlineTitle(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Whether a line is only a label such as `Article 5`, `§ 12` or `Annex B`. */
function isBareLabel(text: string): boolean {
  return /^(?:article|artikel|section|chapter|annex|appendix|kapitel|abschnitt|anhang|anlage|§)\s*(?:\d{1,4}[a-z]?|[A-Z]|[IVXLC]{1,7})$/i.test(
    text,
  );
}

function findHeadingLevel(
  line: PdfLine,
  before: PdfLine | undefined,
  after: PdfLine | undefined,
  type: Typography,
): number | undefined {
  const { text } = line;
  if (
    line.isNextCell ||
    hasBulletSign(text) ||
    text.length > 120 ||
    !/\p{L}/u.test(text) ||
    /\.{4,}|(?:\s\.){4,}/.test(text)
  )
    return undefined;
  if (isBareLabel(text)) return detectHeadingLevel(text);
  const outlined = type.outline.get(normaliseOutlineTitle(text));
  const rank = type.headingSizes.indexOf(roundToHalf(line.size));
  const numbered = /^(\d{1,2}(?:\.\d{1,2}){0,5})\.?\s/.exec(text)?.[1]?.split('.').length;
  if (outlined !== undefined && (line.font !== type.font || rank >= 0)) return numbered ?? outlined;
  if (/[.,;:!?]$/.test(text) && !/^(?:§|\d)/.test(text)) return undefined;
  if (rank >= 0) return numbered ?? rank + 1;
  const gap = before && before.page === line.page ? (line.y - before.y) / line.size : 9;
  const isApart = gap > type.leading * 1.2;
  // Set in another font than the body (usually bold), short, separate, and followed by text in the body font.
  const hasHeadingFont =
    line.font !== type.font &&
    !line.isMonospace &&
    after?.font === type.font &&
    text.length <= 90 &&
    line.size >= type.size * 0.95;
  if (hasHeadingFont && isApart && findItemMarker(text)?.isUnambiguous !== true && /^[\p{Lu}\d§"„]/u.test(text))
    return numbered ?? detectHeadingLevel(text) ?? type.headingSizes.length + 1;
  const below = after && after.page === line.page ? (after.y - line.y) / line.size : 9;
  const introducesText =
    below > type.leading * 1.15 ||
    (after !== undefined && (detectHeadingLevel(after.text) !== undefined || findItemMarker(after.text) !== undefined));
  return isApart && introducesText ? detectHeadingLevel(text) : undefined;
}

/** Groups lines that belong together, also across columns and pages when a sentence continues. */
function groupLines(lines: readonly PdfLine[], type: Typography): Group[] {
  const groups: Group[] = [];
  const right = findRightEdges(lines);
  const pages = Map.groupBy(lines, (line) => line.page);
  const elements = [...pages.values()].flatMap((page) => findPageElements(page, type.leading));
  elements.forEach((element, i) => {
    if ('row' in element) {
      groups.push({ kind: 'row', lines: element.row.flat(), cells: element.row });
      return;
    }
    const { line } = element;
    const group = groups.at(-1);
    const before = group?.kind === 'row' ? undefined : group?.lines.at(-1);
    const next = elements[i + 1];
    const level = findHeadingLevel(line, group?.lines.at(-1), next && 'line' in next ? next.line : undefined, type);
    if (group && before && group.kind === 'heading' && wrapsHeading(line, before, group, level)) {
      group.lines.push(line);
      return;
    }
    if (level !== undefined) {
      groups.push({ kind: 'heading', lines: [line], cells: [], level });
      return;
    }
    const kind = line.isMonospace && type.font !== line.font ? 'code' : 'text';
    if (group && before && group.kind === kind && continuesGroup(line, before, group, type, right.get(line.page) ?? 0))
      group.lines.push(line);
    else groups.push({ kind, lines: [line], cells: [] });
  });
  return groups;
}

/** Whether a line is the second line of the heading above it, or the title under a bare `Article 5`. */
function wrapsHeading(line: PdfLine, before: PdfLine, group: Group, level: number | undefined): boolean {
  if (line.page !== before.page || line.y <= before.y || line.y - before.y > line.size * 2.2) return false;
  if (/^(?:\d+(?:\.\d+)*\.?\s|§)/.test(line.text) || findItemMarker(line.text)) return false;
  if (group.lines.length === 1 && isBareLabel(before.text))
    return line.text.length <= 110 && !/[.;:,]$/.test(line.text);
  return (
    level !== undefined &&
    before.font === line.font &&
    roundToHalf(before.size) === roundToHalf(line.size) &&
    line.y - before.y < line.size * 1.6
  );
}

/** Returns the right edge of the text on each page. */
function findRightEdges(lines: readonly PdfLine[]): Map<number, number> {
  const edges = new Map<number, number>();
  for (const line of lines) edges.set(line.page, Math.max(edges.get(line.page) ?? 0, line.right));
  return edges;
}

function continuesGroup(line: PdfLine, before: PdfLine, group: Group, type: Typography, edge: number): boolean {
  if (group.kind === 'code') return line.page === before.page;
  if (line.isNextCell) return false;
  if (/\.{4,}|(?:\s\.){4,}/.test(before.text)) return false;
  const marker = findItemMarker(line.text);
  const isSentenceEnd = /[.:;!?]["”“')\]]*$/.test(before.text);
  const first = group.lines[0] ?? before;
  const width = Math.max(edge - first.x, 1);
  if (marker && (marker.isUnambiguous || isSentenceEnd || before.right < edge - width * 0.2)) return false;
  if (Math.abs(line.size - before.size) > 0.9 && Math.abs(line.size - type.size) > 0.9) return false;
  const isNewColumn = line.page !== before.page || line.y < before.y - line.size * 0.5;
  if (isNewColumn)
    return (
      !isSentenceEnd &&
      (/^[\p{Ll}(\d]/u.test(line.text) || /[-\u00ad,]$/.test(before.text) || before.right > edge * 0.85)
    );
  const gap = (line.y - before.y) / Math.max(line.size, before.size);
  if (gap > type.leading * 1.32) return false;
  const isInItem = findItemMarker(first.text) !== undefined;
  if (isInItem && line.x < first.x - line.size * 0.5) return false;
  const isIndented = line.x > before.x + line.size * 0.9;
  if (isSentenceEnd && !isInItem && isIndented) return false;
  if (
    isInItem &&
    isSentenceEnd &&
    line.x < first.x + line.size * 0.4 &&
    group.lines.length > 1 &&
    before.x > first.x + line.size * 0.4
  )
    return false;
  return !(isSentenceEnd && before.right < edge - width * 0.25 && gap > type.leading * 1.08);
}

function joinLines(lines: readonly PdfLine[], vocabulary: Vocabulary, skip = 0): InlineText {
  const inline = new InlineText();
  lines.forEach((line, i) => {
    const next = lines[i + 1];
    const { cut, between } = next ? decideSeam(line.text, next.text, vocabulary) : { cut: 0, between: '' };
    inline.push(line.text.slice(i === 0 ? skip : 0, line.text.length - cut) + between, line.page);
  });
  return inline;
}

function addText(
  builder: BlockBuilder,
  group: Group,
  vocabulary: Vocabulary,
  items: { x: number; block: number; level: number; leadIn: number | undefined }[],
  type: Typography,
): void {
  const first = group.lines[0];
  if (!first) return;
  const marker = findItemMarker(first.text);
  if (!marker) {
    const owner = items.findLast((item) => first.x > item.x + type.size * 0.8);
    if (!owner) items.length = 0;
    builder.add('paragraph', joinLines(group.lines, vocabulary), { ...(owner && { leadIn: owner.block }) });
    return;
  }
  while (items.length > 0 && (items.at(-1)?.x ?? 0) > first.x + type.size * 0.5) items.pop();
  const above = items.at(-1);
  const sibling = above && Math.abs(above.x - first.x) <= type.size * 0.5 ? items.pop() : undefined;
  const parent = items.at(-1);
  const leadIn = sibling ? sibling.leadIn : (parent?.block ?? builder.findLeadIn());
  const level = parent ? parent.level + 1 : 1;
  const block = builder.add('list-item', joinLines(group.lines, vocabulary, marker.length), {
    level,
    ...(leadIn !== undefined && { leadIn }),
  });
  if (block !== undefined) items.push({ x: first.x, block, level, leadIn });
}

/** The table to which rows are being added. */
interface Table {
  readonly header: string[] | undefined;
  readonly leadIn: number | undefined;
}

function addRow(builder: BlockBuilder, group: Group, vocabulary: Vocabulary, table: Table | undefined): Table {
  const inline = new InlineText();
  const cells: [number, number][] = [];
  const page = group.lines[0]?.page ?? 1;
  group.cells.forEach((lines, i) => {
    inline.breakWord();
    if (i > 0) inline.push('|', page);
    inline.breakWord();
    const from = inline.nextOffset;
    inline.push(joinLines(lines, vocabulary).text, lines[0]?.page ?? page);
    cells.push([from, Math.max(from, inline.text.length)]);
  });
  const names = cells.map(([from, to]) => inline.text.slice(from, to));
  const current = table ?? { header: looksLikeHeader(names) ? names : undefined, leadIn: builder.findLeadIn() };
  const header = table && cells.length === table.header?.length ? table.header : undefined;
  builder.add('table-row', inline, {
    cells,
    ...(header && { header }),
    ...(current.leadIn !== undefined && { leadIn: current.leadIn }),
  });
  return current;
}
