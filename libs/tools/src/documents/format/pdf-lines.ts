/** A stretch of text as pdf.js reports it, in device space: `y` grows downwards. */
export interface PdfItem {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly font: string;
  readonly mono: boolean;
}

/** Text that stands on one baseline without a wide gap in it. */
export interface PdfLine {
  readonly page: number;
  text: string;
  readonly x: number;
  right: number;
  readonly y: number;
  readonly size: number;
  readonly font: string;
  readonly mono: boolean;
  /** Whether it stands on the same baseline as the line before it, behind a wide gap: the next cell of a row. */
  readonly beside: boolean;
}

/** In units of the font size: a smaller gap is kerning, a larger one a space between words. */
const WORD_GAP = 0.16;
/** A gap that no justified text has. */
const CELL_GAP = 1.9;
/** Superscripts and subscripts stand off their baseline by less than this. */
const BASELINE_DRIFT = 0.45;

interface OpenLine {
  line: PdfLine;
  /** Whether its text ends with a space. Kept apart, because looking at the end of a text that grows copies all of it each time. */
  endsWithSpace: boolean;
  /** Characters per font, to name the one that most of the line is set in. */
  fonts: Map<string, { characters: number; mono: boolean; size: number }>;
}

/**
 * Puts the items of one page together to lines, in the order in which they stand in the page's stream: that is reading
 * order with nearly every producer, and keeps columns apart.
 */
export function linesOfPage(page: number, items: readonly PdfItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let open: OpenLine | undefined;
  const close = (): void => {
    if (open && open.line.text.trim() !== '') lines.push(settle(open));
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
    const sameBase: boolean = open !== undefined && Math.abs(item.y - open.line.y) <= size * BASELINE_DRIFT;
    const gap: number = open ? item.x - open.line.right : 0;
    if (!open || !sameBase || gap < -size * 0.8 || gap > size * CELL_GAP) {
      const beside: boolean = open !== undefined && sameBase && gap > size * CELL_GAP && !isMarker(open.line.text);
      const afterMarker: boolean =
        open !== undefined && sameBase && gap > size * CELL_GAP && gap < size * 6 && isMarker(open.line.text);
      if (!afterMarker) {
        close();
        open = {
          line: {
            page,
            text: '',
            x: item.x,
            right: item.x,
            y: item.y,
            size: item.size,
            font: item.font,
            mono: item.mono,
            beside,
          },
          endsWithSpace: false,
          fonts: new Map(),
        };
      }
    }
    if (!open) continue;
    const spaced = open.line.text === '' || open.endsWithSpace || item.text.startsWith(' ');
    open.line.text += (spaced || gap <= size * WORD_GAP ? '' : ' ') + item.text;
    open.endsWithSpace = item.text.endsWith(' ');
    open.line.right = Math.max(open.line.right, item.x + item.width);
    const known = open.fonts.get(item.font);
    open.fonts.set(item.font, {
      characters: (known?.characters ?? 0) + item.text.trim().length,
      mono: item.mono,
      size: Math.max(item.size, known?.size ?? 0),
    });
  }
  close();
  return lines;
}

function settle({ line, fonts }: OpenLine): PdfLine {
  const [font, most] = [...fonts].reduce((best, next) => (next[1].characters > best[1].characters ? next : best));
  return { ...line, text: line.text.trim(), font, mono: most.mono, size: most.size };
}

/** A longer text is more than the bullet or number of an item. */
const LONGEST_MARKER = 200;

function isMarker(text: string): boolean {
  return (
    text.length <= LONGEST_MARKER &&
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

/** A longer line is no page number, and the pattern takes quadratic time over its blanks. */
const LONGEST_PAGE_NUMBER = 80;

/** Shares of the page height in which running heads stand. */
const MARGIN = 0.14;
/** A running head stands on this share of the pages: left and right pages may have one each. */
const RUNNING_SHARE = 0.35;

/** Takes out running heads, running feet and page numbers: lines near the edge that recur on other pages but for their digits. */
export function withoutRunningHeads(pages: readonly PageFrame[]): { lines: PdfLine[]; removed: number } {
  const counts = new Map<string, Set<number>>();
  const inMargin = (frame: PageFrame, line: PdfLine): boolean =>
    line.y < frame.height * MARGIN || line.y > frame.height * (1 - MARGIN);
  const key = (line: PdfLine): string =>
    `${line.text.replace(/\d+/g, '#').replace(/\s+/g, ' ')}@${Math.round(line.y / 4)}`;
  for (const frame of pages) {
    for (const line of frame.lines) {
      if (!inMargin(frame, line)) continue;
      const seen = counts.get(key(line)) ?? new Set();
      counts.set(key(line), seen.add(frame.page));
    }
  }
  const marginal = marginalSlots(pages);
  const needed = Math.max(2, Math.ceil(pages.length * RUNNING_SHARE));
  let removed = 0;
  const lines = pages.flatMap((frame) =>
    frame.lines.filter((line) => {
      if (!inMargin(frame, line)) return true;
      const outermost = line.y < frame.height * 0.1 || line.y > frame.height * 0.9;
      const running =
        (counts.get(key(line))?.size ?? 0) >= needed ||
        (outermost && line.text.length <= LONGEST_PAGE_NUMBER && pageNumber.test(line.text)) ||
        marginal.has(slotOf(line));
      if (running) removed += 1;
      return !running;
    }),
  );
  return { lines, removed };
}

/** Fewer pages than this show no pattern. */
const MIN_PAGES = 6;
/** A head stands at its place on this share of the pages; those of left and right pages, or of chapter beginnings, differ. */
const SLOT_SHARE = 0.4;
/** White space between a head and the text, in units of the font size: more than between two lines of text. */
const HEAD_GAP = 1.7;
/** Of the lines at one place, this share carries a number or stands on several pages word for word. */
const TELLING_SHARE = 0.6;

const slotOf = (line: PdfLine): number => Math.round(line.y / 3);

/**
 * Places of running heads whose words change, as those with the title of the chapter do: the outermost line of many pages,
 * set apart from the text by white space, and carrying a page number or recurring on neighbouring pages.
 */
function marginalSlots(pages: readonly PageFrame[]): ReadonlySet<number> {
  const slots = new Map<number, { pages: Set<number>; texts: string[] }>();
  const withText = pages.filter(({ lines }) => lines.length > 0);
  if (withText.length < MIN_PAGES) return new Set();
  for (const frame of withText) {
    const sorted = [...frame.lines].sort((a, b) => a.y - b.y);
    for (const edge of [sorted, [...sorted].reverse()]) {
      const [first] = edge;
      if (!first) continue;
      if (first.y > frame.height * MARGIN && first.y < frame.height * (1 - MARGIN)) continue;
      const isBeside = (line: PdfLine): boolean => Math.abs(line.y - first.y) < first.size * 0.5;
      const beside = edge.filter(isBeside);
      const next = edge.find((line) => !isBeside(line));
      if (next && Math.abs(next.y - first.y) < Math.max(first.size, next.size) * HEAD_GAP) continue;
      const slot = slots.get(slotOf(first)) ?? { pages: new Set(), texts: [] };
      slot.pages.add(frame.page);
      slot.texts.push(beside.map(({ text }) => text).join(' '));
      slots.set(slotOf(first), slot);
    }
  }
  const found = new Set<number>();
  for (const [slot, { pages: on, texts }] of slots) {
    if (on.size < Math.max(MIN_PAGES / 2, withText.length * SLOT_SHARE)) continue;
    const words = texts.map((text) => text.replace(/\d+/g, '#'));
    const telling = texts.filter(
      (text, i) =>
        /^\s*\d{1,4}\b|\b\d{1,4}\s*$/.test(text) || words.indexOf(words[i]!) !== words.lastIndexOf(words[i]!),
    );
    if (telling.length >= texts.length * TELLING_SHARE) found.add(slot);
  }
  return found;
}
