import { z } from 'zod';
import { locationSchema } from '../requirement/candidate.js';

export const MANIFEST_SCHEMA = 'phaseline.chunks/1';

const count = z.int().min(0);

/** Schema of `manifest.json` beside the chunks. */
export const manifestSchema = z.strictObject({
  schema: z.literal(MANIFEST_SCHEMA),
  /** Path of the extraction that was cut. */
  extraction: z.string(),
  document: z.string(),
  /** SHA-256 of the document in hex. */
  sha256: z.string(),
  maxTokens: count,
  overlap: count,
  chunks: z.array(
    z.strictObject({
      file: z.string(),
      /** Blocks `[from, to)`. The offsets are set when a long block was cut between two sentences. */
      blocks: z.strictObject({ from: count, to: count, fromOffset: count.optional(), toOffset: count.optional() }),
      section: z.array(z.string()),
      location: locationSchema,
      tokens: count,
    }),
  ),
});
export type Manifest = z.infer<typeof manifestSchema>;
