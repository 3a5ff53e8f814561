/** A piece of text as pdf.js reports it, in device space: `y` grows downwards. */
export interface PdfItem {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly font: string;
  readonly isMonospace: boolean;
}

/** Text on one baseline without a wide gap in it. */
export interface PdfLine {
  readonly page: number;
  text: string;
  readonly x: number;
  right: number;
  readonly y: number;
  readonly size: number;
  readonly font: string;
  readonly isMonospace: boolean;
  /** Whether it follows the previous line on the same baseline after a wide gap, like the next cell of a row. */
  readonly isNextCell: boolean;
}

/** Smallest gap between two words in units of the font size; a smaller one is kerning. */
const MIN_WORD_GAP = 0.16;
/** Smallest gap between two table cells in units of the font size; justified text has no such gap. */
const MIN_CELL_GAP = 1.9;
/** Largest offset of superscripts and subscripts from the baseline in units of the font size. */
const MAX_BASELINE_OFFSET = 0.45;

interface OpenLine {
  line: PdfLine;
  /** Whether the text ends with a space. Kept separately, because reading the end of a growing string copies all of it each time. */
  endsWithSpace: boolean;
  /** Number of characters per font, to find the predominant one. */
  fonts: Map<string, { characters: number; mono: boolean; size: number }>;
}

/**
 * Joins the items of one page to lines, in the order of the page's content stream. Almost every producer writes in reading order,
 * which keeps columns separate.
 */
export function buildLines(page: number, items: readonly PdfItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let open: OpenLine | undefined;
  const closeLine = (): void => {
    if (open && open.line.text.trim() !== '') lines.push(finishLine(open));
    open = undefined;
  };
  for (const item of items) {
    if (item.text.trim() === '') {
      if (open && item.text !== '' && !open.endsWithSpace) {
        open.line.text += ' ';
        open.endsWithSpace = true;
      }
      continue;
    }
    const size = Math.max(item.size, open?.line.size ?? 0);
    const isSameBaseline: boolean = open !== undefined && Math.abs(item.y - open.line.y) <= size * MAX_BASELINE_OFFSET;
    const gap: number = open ? item.x - open.line.right : 0;
    if (!open || !isSameBaseline || gap < -size * 0.8 || gap > size * MIN_CELL_GAP) {
      const beside: boolean =
        open !== undefined && isSameBaseline && gap > size * MIN_CELL_GAP && !isMarker(open.line.text);
      const isAfterMarker: boolean =
        open !== undefined && isSameBaseline && gap > size * MIN_CELL_GAP && gap < size * 6 && isMarker(open.line.text);
      if (!isAfterMarker) {
        closeLine();
        open = {
          line: {
            page,
            text: '',
            x: item.x,
            right: item.x,
            y: item.y,
            size: item.size,
            font: item.font,
            isMonospace: item.isMonospace,
            isNextCell: beside,
          },
          endsWithSpace: false,
          fonts: new Map(),
        };
      }
    }
    if (!open) continue;
    const hasSpace = open.line.text === '' || open.endsWithSpace || item.text.startsWith(' ');
    open.line.text += (hasSpace || gap <= size * MIN_WORD_GAP ? '' : ' ') + item.text;
    open.endsWithSpace = item.text.endsWith(' ');
    open.line.right = Math.max(open.line.right, item.x + item.width);
    const known = open.fonts.get(item.font);
    open.fonts.set(item.font, {
      characters: (known?.characters ?? 0) + item.text.trim().length,
      mono: item.isMonospace,
      size: Math.max(item.size, known?.size ?? 0),
    });
  }
  closeLine();
  return lines;
}

function finishLine({ line, fonts }: OpenLine): PdfLine {
  const [font, most] = [...fonts].reduce((best, next) => (next[1].characters > best[1].characters ? next : best));
  return { ...line, text: line.text.trim(), font, isMonospace: most.mono, size: most.size };
}

/** Maximum characters of the bullet or number of an item, to bound the time of the pattern. */
const MAX_MARKER_CHARACTERS = 200;

function isMarker(text: string): boolean {
  return (
    text.length <= MAX_MARKER_CHARACTERS &&
    /^\s*(?:[-–—•●◦▪■□*·‣⁃➢✓❖○o\ue000-\uf8ff]|\(?(?:\d{1,3}|[A-Za-z]{1,2}|[ivx]{1,5})[.)]|§+\s*\d+[a-z]?|\d{1,2}(?:\.\d{1,2}){1,4}\.?)\s*$/u.test(
      text,
    )
  );
}

export interface PageFrame {
  readonly page: number;
  readonly height: number;
  readonly lines: readonly PdfLine[];
}

const pageNumber =
  /^(?:page|seite|p\.|s\.)?\s*[-–—|[(]?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*(?:(?:of|von|\/)\s*\d{1,4})?\s*[-–—|\])]?$/i;

/** Maximum characters of a page number line, because the pattern takes quadratic time on spaces. */
const MAX_PAGE_NUMBER_CHARACTERS = 80;

/** Fraction of the page height, at the top and at the bottom, where running heads are expected. */
const MARGIN_FRACTION = 0.14;
/** Minimum fraction of the pages that have a running head; left and right pages may have different ones. */
const MIN_RUNNING_FRACTION = 0.35;

/** Removes running heads, running feet and page numbers: lines near the edge that recur on other pages, ignoring digits. */
export function removeRunningHeads(pages: readonly PageFrame[]): { lines: PdfLine[]; removed: number } {
  const counts = new Map<string, Set<number>>();
  const isInMargin = (frame: PageFrame, line: PdfLine): boolean =>
    line.y < frame.height * MARGIN_FRACTION || line.y > frame.height * (1 - MARGIN_FRACTION);
  const buildKey = (line: PdfLine): string =>
    `${line.text.replace(/\d+/g, '#').replace(/\s+/g, ' ')}@${Math.round(line.y / 4)}`;
  for (const frame of pages) {
    for (const line of frame.lines) {
      if (!isInMargin(frame, line)) continue;
      const seen = counts.get(buildKey(line)) ?? new Set();
      counts.set(buildKey(line), seen.add(frame.page));
    }
  }
  const headSlots = findHeadSlots(pages);
  const minPages = Math.max(2, Math.ceil(pages.length * MIN_RUNNING_FRACTION));
  let removed = 0;
  const lines = pages.flatMap((frame) =>
    frame.lines.filter((line) => {
      if (!isInMargin(frame, line)) return true;
      const isOutermost = line.y < frame.height * 0.1 || line.y > frame.height * 0.9;
      const isRunningHead =
        (counts.get(buildKey(line))?.size ?? 0) >= minPages ||
        (isOutermost && line.text.length <= MAX_PAGE_NUMBER_CHARACTERS && pageNumber.test(line.text)) ||
        headSlots.has(getSlot(line));
      if (isRunningHead) removed += 1;
      return !isRunningHead;
    }),
  );
  return { lines, removed };
}

/** Minimum number of pages for a pattern. */
const MIN_PAGES = 6;
/** Minimum fraction of the pages with a head at the same position; left and right pages and chapter openings differ. */
const MIN_SLOT_FRACTION = 0.4;
/** Minimum space between a head and the text in units of the font size, more than between two lines of text. */
const MIN_HEAD_GAP = 1.7;
/** Minimum fraction of the lines at one position that contain a page number or recur on several pages. */
const MIN_HEAD_LIKE_FRACTION = 0.6;

const getSlot = (line: PdfLine): number => Math.round(line.y / 3);

/**
 * Finds the positions of running heads whose text changes, such as the title of the chapter: the outermost line of many pages,
 * separated from the text by space, that contains a page number or recurs on neighbouring pages.
 */
function findHeadSlots(pages: readonly PageFrame[]): ReadonlySet<number> {
  const slots = new Map<number, { pages: Set<number>; texts: string[] }>();
  const withText = pages.filter(({ lines }) => lines.length > 0);
  if (withText.length < MIN_PAGES) return new Set();
  for (const frame of withText) {
    const sorted = [...frame.lines].sort((a, b) => a.y - b.y);
    for (const edge of [sorted, [...sorted].reverse()]) {
      const [first] = edge;
      if (!first) continue;
      if (first.y > frame.height * MARGIN_FRACTION && first.y < frame.height * (1 - MARGIN_FRACTION)) continue;
      const isBeside = (line: PdfLine): boolean => Math.abs(line.y - first.y) < first.size * 0.5;
      const beside = edge.filter(isBeside);
      const next = edge.find((line) => !isBeside(line));
      if (next && Math.abs(next.y - first.y) < Math.max(first.size, next.size) * MIN_HEAD_GAP) continue;
      const slot = slots.get(getSlot(first)) ?? { pages: new Set(), texts: [] };
      slot.pages.add(frame.page);
      slot.texts.push(beside.map(({ text }) => text).join(' '));
      slots.set(getSlot(first), slot);
    }
  }
  const found = new Set<number>();
  for (const [slot, { pages: on, texts }] of slots) {
    if (on.size < Math.max(MIN_PAGES / 2, withText.length * MIN_SLOT_FRACTION)) continue;
    const words = texts.map((text) => text.replace(/\d+/g, '#'));
    const headLike = texts.filter(
      (text, i) =>
        /^\s*\d{1,4}\b|\b\d{1,4}\s*$/.test(text) || words.indexOf(words[i]!) !== words.lastIndexOf(words[i]!),
    );
    if (headLike.length >= texts.length * MIN_HEAD_LIKE_FRACTION) found.add(slot);
  }
  return found;
}
