import { z } from 'zod';
import { modalities } from './modality.js';

const place = z.strictObject({ from: z.int().min(1), to: z.int().min(1) });

/** Where words stand: lines of a text format, pages of a PDF, or paragraphs of a DOCX. */
export const locationSchema = z.strictObject({
  lines: place.optional(),
  pages: place.optional(),
  paragraphs: place.optional(),
});
export type Location = z.infer<typeof locationSchema>;

/** A stretch of the source that the candidate needs to be understood: the sentence that leads over to its list, the label of its row. */
export const contextSchema = z.strictObject({
  quote: z.string(),
  block: z.int().min(0),
  from: z.int().min(0),
  to: z.int().min(0),
});

export const candidateSchema = z.strictObject({
  /** `REQ-` and ten hexadecimal digits, made of document, section and words: the same words in the same section keep their id when the rest of the document changes. */
  id: z.string().regex(/^REQ-[0-9a-f]{10}$/),
  /** The requirement as it can be read alone: the words themselves, with what leads over to them in front where they need it. */
  text: z.string(),
  /** The exact words of the document (without markup). */
  quote: z.string(),
  modality: z.enum(modalities),
  /** The words that oblige, as they stand. For an item under an obliging sentence, those of that sentence. */
  keyword: z.string(),
  /** All such words, where there are several. */
  keywords: z.array(z.string()).optional(),
  section: z.array(z.string()),
  location: locationSchema,
  /** How it was found: by words of its own, through the sentence above its list, or by a column of its table. */
  found: z.enum(['sentence', 'lead-in', 'table']),
  context: z.array(contextSchema).optional(),
  confidence: z.number().min(0).max(1),
  /** Number of the block in the extraction, and the stretch of its text. */
  block: z.int().min(0),
  from: z.int().min(0),
  to: z.int().min(0),
});
export type Candidate = z.infer<typeof candidateSchema>;

/** A sentence with words that may oblige which is no candidate, not even a doubtful one, and why. */
export const leftOutSchema = z.strictObject({
  quote: z.string(),
  keyword: z.string(),
  reason: z.string(),
  section: z.array(z.string()),
  location: locationSchema,
  block: z.int().min(0),
  from: z.int().min(0),
  to: z.int().min(0),
});
export type LeftOutSentence = z.infer<typeof leftOutSchema>;
