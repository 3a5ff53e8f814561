import type { Block } from '../source-document.js';
import type { Candidate } from './candidate.js';
import type { ReadSentence } from './read-sentence.js';
import { getCellText } from './table-row.js';
import { trimTrailing } from './trim-trailing.js';

interface Parts {
  readonly blocks: readonly Block[];
  readonly reads: readonly (readonly ReadSentence[])[];
  readonly number: number;
  readonly quote: string;
  readonly found: Candidate['found'];
  /** The lead-in block, if it is part of the meaning. */
  readonly leadIn: number | undefined;
  /** Whether the items of the list inherit from this sentence and are reported themselves. */
  readonly passesOn: boolean;
}

/** A fragment that lacks its subject: "MUST be unique", "If present, MUST adhere to …", "REQUIRED". */
const subjectless =
  /^\W*(?:(?:if|when|where|unless|falls|wenn|sofern)\b[^,]{1,80},\s*)?(?:must|shall|should|may|is|are|has|have|needs?|required|recommended|optional|not|never|always|muss|müssen|darf|dürfen|sollte?n?|ist|sind|hat|haben|erforderlich|optional)\b/i;

/** Maximum words of a label, which is a lead-in without a verb: "Constraints:". */
const MAX_LABEL_WORDS = 4;

/**
 * Prefixes a fragment with what it needs to be understood on its own: the lead-in sentence of its list, the label of its row, or the
 * heading that names its subject. Returns the quoted parts of the document as context, so that they are cited as well.
 */
export function buildStandaloneText({ blocks, reads, number, quote, found, leadIn, passesOn }: Parts): {
  text: string;
  context: NonNullable<Candidate['context']>;
} {
  const block = blocks[number];
  if (!block) return { text: quote, context: [] };
  if (block.kind === 'table-row')
    return buildRowText(
      blocks,
      number,
      quote,
      found,
      leadIn === undefined ? undefined : findLastSentence(blocks, reads, leadIn),
    );
  const listed = passesOn ? undefined : joinItems(blocks, reads, number, quote);
  if (listed) return { text: `${quote} ${listed}`, context: [] };
  const isContinuation = block.kind === 'list-item' && leadIn !== undefined && /^\p{Ll}/u.test(quote);
  const isFragment =
    found !== 'sentence' ||
    isContinuation ||
    (subjectless.test(quote) && (block.kind === 'list-item' || quote === block.text)) ||
    quote.split(/\s+/).length <= 3;
  if (!isFragment) return { text: quote, context: [] };
  const above = leadIn === undefined ? undefined : findLastSentence(blocks, reads, leadIn);
  const title = block.section.at(-1)?.replace(/^[\d.]+\s+/, '');
  if (!above)
    return {
      text: title && (found === 'lead-in' || subjectless.test(quote)) ? `${title}: ${quote}` : quote,
      context: [],
    };
  const isLabel =
    above.quote.split(/\s+/).length <= MAX_LABEL_WORDS &&
    !/\b(?:must|shall|should|may|is|are|has|have|muss|müssen|hat|haben|ist|sind)\b/i.test(above.quote);
  const lead = trimTrailing(above.quote, /[\s:：]/);
  if (isLabel) return { text: title ? `${title} – ${lead}: ${quote}` : `${lead}: ${quote}`, context: [above] };
  return { text: `${lead}: ${quote}`, context: [above] };
}

/** Maximum characters of items that are appended to their lead-in sentence. */
const MAX_LISTED_CHARACTERS = 600;

/** Returns the items of a list if they are choices or conditions, which complete the lead-in sentence and have no meaning alone. */

function joinItems(
  blocks: readonly Block[],
  reads: readonly (readonly ReadSentence[])[],
  number: number,
  quote: string,
): string | undefined {
  if (!/[:：]$/.test(quote) || blocks[number]?.text.endsWith(quote) !== true) return undefined;
  const items: string[] = [];
  for (let i = number + 1; blocks[i]?.leadIn === number && blocks[i]?.kind === 'list-item'; i += 1) {
    if (reads[i]?.some((read) => (read.finding?.confidence ?? 0) >= 0.5)) return undefined;
    items.push((blocks[i]?.text ?? '').replace(/[;,.]?(?:\s(?:and|or|und|oder|sowie))?$/, ''));
  }
  const text = items.join('; ');
  return text === ''
    ? undefined
    : text.length > MAX_LISTED_CHARACTERS
      ? `${text.slice(0, MAX_LISTED_CHARACTERS)} …`
      : text;
}

function findLastSentence(
  blocks: readonly Block[],
  reads: readonly (readonly ReadSentence[])[],
  number: number,
): NonNullable<Candidate['context']>[number] | undefined {
  const block = blocks[number];
  if (!block) return undefined;
  const last = reads[number]?.at(-1)?.span ?? { from: 0, to: block.text.length };
  return { quote: block.text.slice(last.from, last.to), block: number, ...last };
}

type Context = NonNullable<Candidate['context']>[number];

/** Builds the text of a row: for a whole row with its column names, for a sentence of one cell with row label and column name. */
function buildRowText(
  blocks: readonly Block[],
  number: number,
  quote: string,
  found: Candidate['found'],
  above: Context | undefined,
): { text: string; context: Context[] } {
  const block = blocks[number];
  if (!block) return { text: quote, context: [] };
  const cells = (block.cells ?? []).map((_, i) => getCellText(block, i));
  if (found !== 'sentence') {
    const named = cells
      .flatMap((cell, i) => (cell === '' ? [] : [block.header?.[i] ? `${block.header[i]}: ${cell}` : cell]))
      .join('; ');
    const lead = above && trimTrailing(above.quote, /[\s:：]/);
    return { text: lead ? `${lead}: ${named}` : named, context: above ? [above] : [] };
  }
  const index = cells.findIndex((cell) => cell.includes(quote));
  const column = block.header?.[index];
  const subject = findSubject(blocks, number, index);
  if (!subject) return { text: quote, context: [] };
  const needsColumn = subjectless.test(quote) || quote.split(/\s+/).length <= 3;
  return {
    text: needsColumn && column ? `${subject.label} – ${column}: ${quote}` : `${subject.label}: ${quote}`,
    context: subject.context,
  };
}

/** Maximum characters of a row label; a longer cell is text. */
const MAX_LABEL_CHARACTERS = 120;
/** Maximum rows above that are searched for the label of a cell that spans several rows. */
const MAX_SPANNED_ROWS = 20;
/** A number that only identifies the row and does not name its subject: `R1`, `3.2`, `REQ-17`. */
const bareNumber = /^(?:[\p{L}]{0,5}[-._ ]?)?\d[\d.]*[.)]?$/u;

/**
 * Returns the subject of a row: its first cell, followed by the next one if it is a bare number. If the first cell is empty, uses the
 * row above.
 */
function findSubject(
  blocks: readonly Block[],
  number: number,
  index: number,
): { readonly label: string; readonly context: Context[] } | undefined {
  if (index <= 0) return undefined;
  const parts: { text: string; context: Context }[] = [];
  for (let cell = 0; cell < index && parts.every(({ text }) => bareNumber.test(text)); cell += 1) {
    const part = findLabel(blocks, number, cell);
    if (part) parts.push(part);
  }
  if (parts.length === 0) return undefined;
  return { label: parts.map(({ text }) => text).join(' '), context: parts.map(({ context }) => context) };
}

function findLabel(
  blocks: readonly Block[],
  number: number,
  cell: number,
): { text: string; context: Context } | undefined {
  const columns = blocks[number]?.cells?.length;
  for (let row = number; row >= 0 && row > number - MAX_SPANNED_ROWS; row -= 1) {
    const block = blocks[row];
    if (block?.kind !== 'table-row' || block.cells?.length !== columns) return undefined;
    const text = getCellText(block, cell);
    const range = block.cells?.[cell];
    if (text === '' || !range) {
      // Only empty cells at the start of a row continue the cell above.
      if ((block.cells ?? []).some((_, other) => other < cell && getCellText(block, other) !== '')) return undefined;
      continue;
    }
    if (text.length > MAX_LABEL_CHARACTERS) return undefined;
    return { text, context: { quote: text, block: row, from: range[0], to: range[1] } };
  }
  return undefined;
}
