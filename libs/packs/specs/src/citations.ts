import { z } from 'zod';
import { declareDomainPack } from './declare-pack.js';

const line = z.int().min(1).max(10_000_000);

/** Tools that cite fetched web sources. The documents pack has `cite_document` for submitted documents. */
export const citationsSpec = declareDomainPack('citations', {
  cite_web: {
    lane: 'inline',
    description:
      'Checks that a quotation occurs in a source stored by fetch_url or web_search, and returns a citation with URL, heading and lines. Fails if the quotation is not found.',
    input: z.strictObject({
      source: z.int().min(1).describe('Number of the source, as returned by fetch_url or web_search.'),
      quote: z.string().min(1).max(4_000).describe('The quotation, exactly as in the source.'),
      lines: z
        .strictObject({ from: line, to: line })
        .optional()
        .describe('Lines of the source file that contain the quotation.'),
    }),
  },
});
