import { z } from 'zod';
import { MODALITIES } from '@phaseline/contracts';

const place = z.strictObject({ from: z.int().min(1), to: z.int().min(1) });

/** Schema of a location: lines of a text format, pages of a PDF, or paragraphs of a DOCX. */
export const locationSchema = z.strictObject({
  lines: place.exactOptional(),
  pages: place.exactOptional(),
  paragraphs: place.exactOptional(),
});
export type Location = z.infer<typeof locationSchema>;

/** Schema of source text that a candidate needs to be understood: the lead-in sentence of its list, the label of its row. */
const contextSchema = z.strictObject({
  quote: z.string(),
  block: z.int().min(0),
  from: z.int().min(0),
  to: z.int().min(0),
});

export const candidateSchema = z.strictObject({
  /**
   * `REQ-` and ten hexadecimal digits, derived from document, section and words. The same words in the same section keep their id
   * when the rest of the document changes.
   */
  id: z.string().regex(/^REQ-[0-9a-f]{10}$/),
  /** The requirement in words that can be understood without its context: the quote, preceded by its lead-in if it needs one. */
  text: z.string(),
  /** The exact words of the document (without markup). */
  quote: z.string(),
  modality: z.enum(MODALITIES),
  /** The word of obligation as written. For an item whose lead-in sentence states the obligation, the word of that sentence. */
  keyword: z.string(),
  /** All words of obligation, if there are several. */
  keywords: z.array(z.string()).optional(),
  section: z.array(z.string()),
  location: locationSchema,
  /** How it was found: by its own words, by the lead-in sentence of its list, or by a column of its table. */
  found: z.enum(['sentence', 'lead-in', 'table']),
  context: z.array(contextSchema).optional(),
  confidence: z.number().min(0).max(1),
  /** Number of the block in the extraction. */
  block: z.int().min(0),
  /** Range `[from, to)` in the text of the block. */
  from: z.int().min(0),
  to: z.int().min(0),
});
export type Candidate = z.infer<typeof candidateSchema>;

/** Schema of a sentence that has words of obligation but is not even a doubtful candidate, with the reason. */
export const omittedSentenceSchema = z.strictObject({
  quote: z.string(),
  keyword: z.string(),
  reason: z.string(),
  section: z.array(z.string()),
  location: locationSchema,
  block: z.int().min(0),
  from: z.int().min(0),
  to: z.int().min(0),
});
export type OmittedSentence = z.infer<typeof omittedSentenceSchema>;
