import { z } from 'zod';
import { ToolError } from '@phaseline/contracts';
import { blockSchema, DOCUMENT_FORMATS, LOCATION_UNITS, type SourceBlock } from '../source-document.js';

/** Format identifier of an extraction file; a change of the format increments the number. */
export const EXTRACTION_SCHEMA = 'phaseline.extraction/1';

const count = z.int().min(0);

/** Schema of the header, which is the first line of an extraction. */
const extractionHeaderSchema = z.strictObject({
  schema: z.literal(EXTRACTION_SCHEMA),
  document: z.strictObject({
    path: z.string(),
    /** SHA-256 of the document's bytes in hex. Citations are rejected when the document has changed since. */
    sha256: z.string(),
    bytes: count,
    format: z.enum(DOCUMENT_FORMATS),
    encoding: z.string().optional(),
  }),
  /** Unit of locations, such as line or page. */
  unit: z.enum(LOCATION_UNITS),
  /** Number of units in the document. */
  units: count,
  language: z.enum(['en', 'de']).optional(),
  blocks: count,
  sections: count,
  characters: count,
  /** Path of the readable text, which has one block per line. */
  text: z.string(),
  notes: z.array(z.string()),
});
export type ExtractionHeader = z.infer<typeof extractionHeaderSchema>;

/** Schema of a block in the file, with its line in the readable text. */
const extractedBlockSchema = blockSchema.extend({ textLine: z.int().min(1) });
type ExtractedBlock = z.infer<typeof extractedBlockSchema>;

export interface Extraction {
  readonly header: ExtractionHeader;
  readonly blocks: readonly ExtractedBlock[];
}

/** Encodes an extraction as JSON Lines: the header, then one block per line. */
export function encodeExtraction(
  header: ExtractionHeader,
  blocks: readonly SourceBlock[],
  textLines: readonly number[],
): Uint8Array {
  const lines = blocks.map(({ runs: _runs, wraps: _wraps, ...block }, i) =>
    JSON.stringify({ ...block, textLine: textLines[i] ?? 1 }),
  );
  return Buffer.from(`${[JSON.stringify(header), ...lines].join('\n')}\n`);
}

/** Decodes an extraction. Throws `extraction_malformed` with the line number when `extract_document_text` did not write the file. */
export function decodeExtraction(path: string, bytes: Uint8Array): Extraction {
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  const [first = '', ...rest] = lines;
  const header = parseLine(path, 1, first, extractionHeaderSchema);
  const blocks = rest.map((line, i) => parseLine(path, i + 2, line, extractedBlockSchema));
  const broken = blocks.findIndex((block) => (block.leadIn ?? 0) >= blocks.length);
  if (broken >= 0 || blocks.length !== header.blocks)
    throw buildMalformedError(path, 1, `expected ${header.blocks} blocks`);
  return { header, blocks };
}

function parseLine<T>(path: string, line: number, text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw buildMalformedError(path, line, 'expected JSON', cause);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw buildMalformedError(
      path,
      line,
      z.prettifyError(parsed.error).split('\n')[0] ?? 'unexpected shape',
      parsed.error,
    );
  return parsed.data;
}

function buildMalformedError(path: string, line: number, why: string, cause?: unknown): ToolError {
  return new ToolError(
    'extraction_malformed',
    `'${path}' line ${line} is not part of an extraction (${why}). Run extract_document_text again.`,
    { cause },
  );
}
