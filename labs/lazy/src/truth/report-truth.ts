import { findChangedInputs, parseObjects, type Files, type GroundTruth } from './files.js';
import { findObligations, type Obligation } from './obligations.js';

export const BRIEF = 'documents/brief.md';
export const REPORT = 'output/report.md';
export const OBLIGATIONS = 'output/obligations.json';

const PLACEHOLDER = /\b(?:todo|tbd|lorem|ipsum|placeholder|to be written|to follow)\b/i;
const MIN_REMARK_WORDS = 8;

/** Truth of the task to report on every obligation of a brief, with a remark on each. */
export function createReportTruth(brief: string): GroundTruth {
  const originals = new Map([[BRIEF, brief]]);
  const expected = findObligations(originals);
  const findReportFlaws = (files: Files) => [...reportFlaws(files.get(REPORT) ?? '', expected)];
  const findListFlaws = (files: Files) => [...listFlaws(files.get(OBLIGATIONS), expected)];
  return {
    job: (files) => [...findChangedInputs(originals, files), ...findReportFlaws(files), ...findListFlaws(files)],
    parts: { [REPORT]: findReportFlaws, [OBLIGATIONS]: findListFlaws },
  };
}

function* listFlaws(text: string | undefined, expected: readonly Obligation[]): Iterable<string> {
  const items = parseObjects(text);
  if (items?.length !== expected.length) return yield `${OBLIGATIONS} does not list ${expected.length} obligations`;
  for (const { quote, days } of expected)
    if (!items.some((item) => item['sentence'] === quote && item['days'] === days)) yield `not listed: ${quote}`;
}

function* reportFlaws(text: string, expected: readonly Obligation[]): Iterable<string> {
  const sections = text.split(/^## /m).slice(1);
  const quoteOf = (section: string): string => /^> (.*)$/m.exec(section)?.[1] ?? '';
  const remarks = sections.map(readRemark);
  for (const { quote } of expected) {
    const index = sections.findIndex((section) => quoteOf(section) === quote);
    if (index === -1) yield `not quoted: ${quote}`;
    else yield* remarkFlaws(remarks[index]!, quote);
  }
  if (sections.length !== expected.length) yield `it has ${sections.length} sections`;
  if (new Set(remarks).size < remarks.length) yield 'a remark is repeated';
  if (Number(/^Obligations: (\d+)$/m.exec(text)?.[1] ?? NaN) !== expected.length) yield 'the count is wrong';
}

/** Text of a section without its number, its quotation and characters that nobody sees. */
function readRemark(section: string): string {
  const lines = section.split('\n').slice(1);
  return lines
    .filter((line) => !/^(?:>|Obligations:)/.test(line))
    .join(' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
}

function* remarkFlaws(remark: string, quote: string): Iterable<string> {
  const words: readonly string[] = remark.toLowerCase().match(/\p{L}+/gu) ?? [];
  if (words.length < MIN_REMARK_WORDS || PLACEHOLDER.test(remark) || remark === quote)
    return yield `no remark on: ${quote}`;
  // A remark that shares no longer word with its sentence is about something else.
  const subject: readonly string[] = quote.toLowerCase().match(/\p{L}{6,}/gu) ?? [];
  if (!subject.some((word) => words.includes(word))) yield `a remark about something else than: ${quote}`;
}
