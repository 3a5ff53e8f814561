import { z } from 'zod';
import { locationSchema } from '../requirement/candidate.js';

export const MANIFEST_SCHEMA = 'phaseline.chunks/1';

const count = z.int().min(0);

/** `manifest.json` beside the chunks. */
export const manifestSchema = z.strictObject({
  schema: z.literal(MANIFEST_SCHEMA),
  /** The extraction that was cut, and the SHA-256 of its document. */
  extraction: z.string(),
  document: z.string(),
  sha256: z.string(),
  maxTokens: count,
  overlap: count,
  chunks: z.array(
    z.strictObject({
      file: z.string(),
      /** Blocks `[from, to)`; the offsets are there where a long block was cut between two sentences. */
      blocks: z.strictObject({ from: count, to: count, fromOffset: count.optional(), toOffset: count.optional() }),
      section: z.array(z.string()),
      location: locationSchema,
      tokens: count,
    }),
  ),
});
export type Manifest = z.infer<typeof manifestSchema>;
