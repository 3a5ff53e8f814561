import {
  finalAbbreviations,
  germanMonths,
  germanOrdinalLeads,
  germanSentenceStarts,
  innerAbbreviations,
  letteredNames,
} from './abbreviations.js';

/** A range `[from, to)` of a text; for a sentence, without whitespace at its ends. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const addresses =
  /`[^`]+`|\b(?:https?|ftp|mailto|urn):[^\s<>"”]*[^\s<>"”.,;:!?)\]]|\b[\w-]+(?:\.[\w-]+){1,8}\.(?:md|txt|html?|pdf|docx|json|ya?ml|xml|xsd|org|com|net|io|eu|de)\b/giu;

/** Masks code and addresses, so that full stops and capitals within them have no effect. */
function maskText(text: string, code: readonly (readonly [number, number])[]): string {
  const maskedRanges = [
    ...code,
    ...[...text.matchAll(addresses)].map((found): [number, number] => [found.index, found.index + found[0].length]),
  ].sort((a, b) => a[0] - b[0]);
  let masked = '';
  for (const [from, to] of maskedRanges) {
    if (to <= masked.length) continue;
    masked += text.slice(masked.length, Math.max(from, masked.length));
    masked += 'X'.repeat(to - masked.length);
  }
  return masked + text.slice(masked.length);
}

/** Returns the word before a full stop, including full stops within it: `z. B`, `i.e`, `RFC`. */
function findWordBefore(text: string): string {
  return /(?:^|[\s([„“"'–—/])((?:\p{L}{1,4}\.\s?){0,3}[\p{L}-]+)\.[)\]"”’']*\s*$/u.exec(text)?.[1]?.toLowerCase() ?? '';
}

/** Abbreviations that are also words. They end a sentence unless a number follows. */
const ambiguousAbbreviation = /^(?:no|nos|art|fig|st|s|p|pp|ch|app|ed)$/;

/** A unit after a number, which looks like an abbreviation: "within 5 ms. It must …" are two sentences. */
const unitAfterNumber = /\d\s?(?:ms|min|sec|s|st|std|p|ch)\.[)\]"”’']*\s*$/iu;

/** Tracks whether a sentence has an open bracket or quotation. Updated as the sentence grows, so that no text is read twice. */
class OpenMarks {
  private hasBracket = false;
  private hasQuote = false;

  get hasOpenMark(): boolean {
    return this.hasBracket || this.hasQuote;
  }

  add(piece: string): void {
    const opened = piece.lastIndexOf('(');
    const closed = piece.lastIndexOf(')');
    if (opened >= 0 || closed >= 0) this.hasBracket = opened > closed;
    if ((piece.match(/"/g)?.length ?? 0) % 2 === 1) this.hasQuote = !this.hasQuote;
  }
}

/**
 * Maximum characters before a possible sentence end that are examined. Without a limit, a text with thousands of possible ends, such
 * as a table without a full stop, would be read once per end.
 */
const MAX_LOOKBEHIND_CHARACTERS = 400;

/** Whether the segmenter was wrong to end a sentence between `before` and `after`. */
function isFalseEnd(before: string, after: string, marks: OpenMarks): boolean {
  if (/^\s*$/.test(after)) return false;
  // A sentence end is followed by a space, unlike the marks in `#!/bin/sh`, `!important`, `a!=b`.
  if (/[!?]["”’')\]]*$/.test(before) && !/^\s/.test(after)) return true;
  // A mark within brackets or quotes does not end the sentence outside: `(see "Stop!" below)`.
  if (/[!?]["”’')\]]*\s*$/.test(before) && marks.hasOpenMark) return true;
  // An enumerator alone is not a sentence: `1.`, `(a)`, `3.2.`, `IV.`
  if (/^\s*(?:\(?(?:\d{1,3}(?:\.\d{1,3})*|\p{L}{1,2}|[ivxlc]{1,5})[.)])\s*$/iu.test(before)) return true;
  if (!/\.[)\]"”’']*\s*$/.test(before))
    return /^[,;:)\]–-]/.test(after.trimStart()) || /^\p{Ll}/u.test(after.trimStart());
  const next = after.trimStart();
  if (/^[,;:)\]]/.test(next)) return true;
  if (unitAfterNumber.test(before) && /^["“„(]?\p{Lu}/u.test(next)) return false;
  const word = findWordBefore(before);
  const last = word.split(/[\s-]/).at(-1) ?? '';
  // `z.` of `z. B.`, `i.` of `i. d. R.`
  if (/(?:^|[\s(.])\p{L}\.\s*$/u.test(before) && /^\p{L}{1,3}\./u.test(next)) return true;
  if (ambiguousAbbreviation.test(last)) {
    if (/^(?:\d|[IVX]+\b|§)/.test(next)) return true;
  } else if (innerAbbreviations.has(word) || innerAbbreviations.has(last)) return true;
  if (finalAbbreviations.has(word)) return /^[\p{Ll}\d(]/u.test(next);
  if (/(?:^|[\s(.])\p{Lu}\.\s*$/u.test(before)) return !letteredNames.test(before);
  if (/\d\.\s*$/.test(before))
    return germanMonths.test(next) || (germanOrdinalLeads.test(before) && !germanSentenceStarts.test(next));
  return false;
}

/**
 * Splits the text of a block into sentences. Uses the segmenter of the platform and corrects its errors on abbreviations, ordinals,
 * initials, enumerators, code and addresses.
 */
export function segmentSentences(text: string, code: readonly (readonly [number, number])[] = []): Span[] {
  const masked = maskText(text, code);
  const spans: Span[] = [];
  let from = 0;
  let marks = new OpenMarks();
  for (const { segment, index } of segmenter.segment(masked)) {
    const end = index + segment.length;
    marks.add(segment);
    const before = masked.slice(Math.max(from, end - MAX_LOOKBEHIND_CHARACTERS), end);
    if (isFalseEnd(before, masked.slice(end, end + 40), marks)) continue;
    addSpan(spans, text, from, end);
    from = end;
    marks = new OpenMarks();
  }
  if (from < text.length) addSpan(spans, text, from, text.length);
  return spans;
}

function addSpan(spans: Span[], text: string, from: number, to: number): void {
  const piece = text.slice(from, to);
  const trimmed = piece.trim();
  if (trimmed === '') return;
  const start = from + piece.indexOf(trimmed);
  spans.push({ from: start, to: start + trimmed.length });
}
