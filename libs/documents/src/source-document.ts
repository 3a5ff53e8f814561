import { z } from 'zod';

export const DOCUMENT_FORMATS = ['markdown', 'text', 'html', 'pdf', 'docx'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** Units of locations: lines of the source, pages of a PDF, or paragraphs of a DOCX. All are counted from 1. */
export const LOCATION_UNITS = ['line', 'page', 'paragraph'] as const;
export type LocationUnit = (typeof LOCATION_UNITS)[number];

export const UNIT_BY_FORMAT = {
  markdown: 'line',
  text: 'line',
  html: 'line',
  pdf: 'page',
  docx: 'paragraph',
} as const satisfies Record<DocumentFormat, LocationUnit>;

const BLOCK_KINDS = ['heading', 'paragraph', 'list-item', 'table-row', 'code', 'quote'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

const count = z.int().min(0);
const range = z.tuple([count, count]);

/**
 * Schema of a block, the smallest piece of a document with its own location: a heading, a paragraph, a list item, a table row.
 * `text` has collapsed whitespace and no markup, except for the backticks around code in Markdown.
 */
export const blockSchema = z.strictObject({
  kind: z.enum(BLOCK_KINDS),
  text: z.string(),
  /** Headings above the block, outermost first. Does not include the block itself. */
  section: z.array(z.string()),
  /** Level of a heading (1 is the highest), or depth of a list item (1 is the outermost list). */
  level: count.optional(),
  /** Number of the block that introduces this one: the lead-in sentence of a list, the parent item, the term of a definition. */
  leadIn: count.optional(),
  /** Cells of a table row as `[from, to)` offsets in `text`. */
  cells: z.array(range).optional(),
  /** Column names of a table row; absent if the table has no header row. */
  header: z.array(z.string()).optional(),
  /** Code spans as `[from, to)` offsets in `text`. */
  code: z.array(range).optional(),
  /** `[offset, place]` pairs: from this offset of `text` on, the words are on that line, page or paragraph. */
  marks: z.array(range).min(1),
});
export type Block = z.infer<typeof blockSchema>;

/** A block with the data to find the exact characters in a Markdown source. This data is never written to a file. */
export interface SourceBlock extends Block {
  /** Triples `[offset in text, offset in source, length]` of characters that are unchanged from the source. */
  readonly runs?: readonly number[];
  /** Quadruples `[from, to, source from, source to]` of inline markup around a range of text: links, emphasis, code. */
  readonly wraps?: readonly number[];
}

export interface SourceDocument {
  readonly format: DocumentFormat;
  readonly blocks: readonly SourceBlock[];
  /** Number of lines, pages or paragraphs in the document. */
  readonly units: number;
  /** Encoding of the bytes; text formats only. */
  readonly encoding?: string;
  /** Notes for a reader of the extraction: a fallback encoding, pages without text, removed page headers. */
  readonly notes: readonly string[];
  /** The decoded source with `\n` line ends; text formats only. */
  readonly raw?: string;
}

/** Returns the first and last line, page or paragraph of the range `[from, to)` of a block's text. */
export function findPlaces(block: Block, from = 0, to = block.text.length): { from: number; to: number } {
  let first = block.marks[0]?.[1] ?? 1;
  let last = first;
  for (const [offset, place] of block.marks) {
    if (offset <= from) first = place;
    if (offset < to || offset === 0) last = place;
  }
  return { from: first, to: Math.max(first, last) };
}

/** Returns the number of lines; a trailing newline does not start another line. */
export function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
