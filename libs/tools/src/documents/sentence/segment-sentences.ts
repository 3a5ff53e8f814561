import {
  finalAbbreviations,
  germanMonths,
  germanOrdinalLeads,
  germanSentenceStarts,
  innerAbbreviations,
  letteredNames,
} from './abbreviations.js';

/** A sentence as a stretch `[from, to)` of the text, without white space at its ends. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const addresses =
  /`[^`]+`|\b(?:https?|ftp|mailto|urn):[^\s<>"”]*[^\s<>"”.,;:!?)\]]|\b[\w-]+(?:\.[\w-]+){1,8}\.(?:md|txt|html?|pdf|docx|json|ya?ml|xml|xsd|org|com|net|io|eu|de)\b/giu;

/** Blanks out code and addresses, so that a full stop or a capital inside of them decides nothing. */
function mask(text: string, code: readonly (readonly [number, number])[]): string {
  const covered = [
    ...code,
    ...[...text.matchAll(addresses)].map((found): [number, number] => [found.index, found.index + found[0].length]),
  ].sort((a, b) => a[0] - b[0]);
  let masked = '';
  for (const [from, to] of covered) {
    if (to <= masked.length) continue;
    masked += text.slice(masked.length, Math.max(from, masked.length));
    masked += 'X'.repeat(to - masked.length);
  }
  return masked + text.slice(masked.length);
}

/** The word in front of a full stop, with the full stops inside of it: `z. B`, `i.e`, `RFC`. */
function wordBefore(text: string): string {
  return /(?:^|[\s([„“"'–—/])((?:\p{L}{1,4}\.\s?){0,3}[\p{L}-]+)\.[)\]"”’']*\s*$/u.exec(text)?.[1]?.toLowerCase() ?? '';
}

/** Abbreviations that are also words: they end a sentence unless a number follows. */
const wordsToo = /^(?:no|nos|art|fig|st|s|p|pp|ch|app|ed)$/;

/** Units that are written like abbreviations: "within 5 ms. It must …" are two sentences. */
const unitBehindNumber = /\d\s?(?:ms|min|sec|s|st|std|p|ch)\.[)\]"”’']*\s*$/iu;

/** Whether a sentence has a bracket or a quotation open. Counted as the sentence grows, so that none of it is read twice. */
class OpenMarks {
  private hasBracket = false;
  private hasQuote = false;

  get any(): boolean {
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
 * Characters before a possible end that decide about it: the words in front of the mark, and whether it is the first of the sentence.
 * A sentence with thousands of possible ends, such as a table without a full stop, would otherwise be read once per end.
 */
const DECIDING_CHARACTERS = 400;

/** Whether the segmenter was wrong to end a sentence between `before` and `after`. */
function isFalseEnd(before: string, after: string, marks: OpenMarks): boolean {
  if (/^\s*$/.test(after)) return false;
  // Nobody ends a sentence without a space: `#!/bin/sh`, `!important`, `a!=b`.
  if (/[!?]["”’')\]]*$/.test(before) && !/^\s/.test(after)) return true;
  // `Yahoo! Inc.`, `(see "Stop!" below)`: a mark that stands inside of brackets or quotes ends nothing outside of them.
  if (/[!?]["”’')\]]*\s*$/.test(before) && marks.any) return true;
  // An enumerator alone is no sentence: `1.`, `(a)`, `3.2.`, `IV.`
  if (/^\s*(?:\(?(?:\d{1,3}(?:\.\d{1,3})*|\p{L}{1,2}|[ivxlc]{1,5})[.)])\s*$/iu.test(before)) return true;
  if (!/\.[)\]"”’']*\s*$/.test(before))
    return /^[,;:)\]–-]/.test(after.trimStart()) || /^\p{Ll}/u.test(after.trimStart());
  const next = after.trimStart();
  if (/^[,;:)\]]/.test(next)) return true;
  if (unitBehindNumber.test(before) && /^["“„(]?\p{Lu}/u.test(next)) return false;
  const word = wordBefore(before);
  const last = word.split(/[\s-]/).at(-1) ?? '';
  // `z.` of `z. B.`, `i.` of `i. d. R.`
  if (/(?:^|[\s(.])\p{L}\.\s*$/u.test(before) && /^\p{L}{1,3}\./u.test(next)) return true;
  if (wordsToo.test(last)) {
    if (/^(?:\d|[IVX]+\b|§)/.test(next)) return true;
  } else if (innerAbbreviations.has(word) || innerAbbreviations.has(last)) return true;
  if (finalAbbreviations.has(word)) return /^[\p{Ll}\d(]/u.test(next);
  if (/(?:^|[\s(.])\p{Lu}\.\s*$/u.test(before)) return !letteredNames.test(before);
  if (/\d\.\s*$/.test(before))
    return germanMonths.test(next) || (germanOrdinalLeads.test(before) && !germanSentenceStarts.test(next));
  return false;
}

/**
 * Cuts the text of a block into sentences. The segmenter of the platform does the cutting; abbreviations, ordinals,
 * initials, enumerators, code and addresses, over which it stumbles, are put right.
 */
export function segmentSentences(text: string, code: readonly (readonly [number, number])[] = []): Span[] {
  const masked = mask(text, code);
  const spans: Span[] = [];
  let from = 0;
  let marks = new OpenMarks();
  for (const { segment, index } of segmenter.segment(masked)) {
    const end = index + segment.length;
    marks.add(segment);
    const before = masked.slice(Math.max(from, end - DECIDING_CHARACTERS), end);
    if (isFalseEnd(before, masked.slice(end, end + 40), marks)) continue;
    push(spans, text, from, end);
    from = end;
    marks = new OpenMarks();
  }
  if (from < text.length) push(spans, text, from, text.length);
  return spans;
}

function push(spans: Span[], text: string, from: number, to: number): void {
  const piece = text.slice(from, to);
  const trimmed = piece.trim();
  if (trimmed === '') return;
  const start = from + piece.indexOf(trimmed);
  spans.push({ from: start, to: start + trimmed.length });
}
