import { z } from 'zod';

export const documentFormats = ['markdown', 'text', 'html', 'pdf', 'docx'] as const;
export type DocumentFormat = (typeof documentFormats)[number];

/** What a location counts: lines of the source, pages of a PDF, or paragraphs of a DOCX. All count from 1. */
export const locationUnits = ['line', 'page', 'paragraph'] as const;
export type LocationUnit = (typeof locationUnits)[number];

export const unitOfFormat = {
  markdown: 'line',
  text: 'line',
  html: 'line',
  pdf: 'page',
  docx: 'paragraph',
} as const satisfies Record<DocumentFormat, LocationUnit>;

export const blockKinds = ['heading', 'paragraph', 'list-item', 'table-row', 'code', 'quote'] as const;
export type BlockKind = (typeof blockKinds)[number];

const count = z.int().min(0);
const range = z.tuple([count, count]);

/**
 * The smallest piece of a document that keeps its own place: a heading, a paragraph, a list item, a table row.
 * `text` has its white space collapsed and its markup removed, except for the back-ticks around code in Markdown.
 */
export const blockSchema = z.strictObject({
  kind: z.enum(blockKinds),
  text: z.string(),
  /** The headings above, outermost first. A heading's own text is not in its own trail. */
  section: z.array(z.string()),
  /** Level of a heading (1 is the highest), or depth of a list item (1 is the outermost list). */
  level: count.optional(),
  /** Number of the block that introduces this one: the sentence before a list, the parent item, the term of a definition. */
  leadIn: count.optional(),
  /** For a table row: where each cell stands in `text`, as `[from, to)` offsets. */
  cells: z.array(range).optional(),
  /** For a table row: the names of its columns; absent where the table has no header row. */
  header: z.array(z.string()).optional(),
  /** Where code spans stand in `text`, as `[from, to)` offsets. */
  code: z.array(range).optional(),
  /** `[offset, place]` pairs: from this offset of `text` on, the words stand on that line, page or paragraph. */
  marks: z.array(range).min(1),
});
export type Block = z.infer<typeof blockSchema>;

/** A block with what is needed to go back to the exact characters of a Markdown source; never written to a file. */
export interface SourceBlock extends Block {
  /** Triples `[offset in text, offset in source, length]` of characters that stand unchanged in the source. */
  readonly runs?: readonly number[];
  /** Quadruples `[from, to, source from, source to]` of inline markup around a stretch of text: links, emphasis, code. */
  readonly wraps?: readonly number[];
}

export interface SourceDocument {
  readonly format: DocumentFormat;
  readonly blocks: readonly SourceBlock[];
  /** How many lines, pages or paragraphs the document has. */
  readonly units: number;
  /** Encoding of the bytes, for the formats that are text. */
  readonly encoding?: string;
  /** What a reader of the extraction should know: a fallback encoding, pages without text, removed page headers. */
  readonly notes: readonly string[];
  /** The decoded source with `\n` line ends, for the formats that are text. */
  readonly raw?: string;
}

/** The first and last line, page or paragraph that the stretch `[from, to)` of a block's text touches. */
export function placesOf(block: Block, from = 0, to = block.text.length): { from: number; to: number } {
  let first = block.marks[0]?.[1] ?? 1;
  let last = first;
  for (const [offset, place] of block.marks) {
    if (offset <= from) first = place;
    if (offset < to || offset === 0) last = place;
  }
  return { from: first, to: Math.max(first, last) };
}

/** Lines of a text; a line end at its end begins no further line. */
export function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
