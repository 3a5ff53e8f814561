import { z } from 'zod';
import { declarePack } from './declare-pack.js';

const line = z.int().min(1).max(10_000_000);

/** Tools that cite fetched web sources. The documents pack has `cite_document` for submitted documents. */
export const citationsSpec = declarePack('citations', {
  cite_web: {
    lane: 'inline',
    description:
      'Checks that quoted words really stand in a source kept by fetch_url or web_search and returns a citation with address, heading and lines; refused if they are not there.',
    input: z.strictObject({
      source: z.int().min(1).describe('The number of the source, as fetch_url or web_search told it.'),
      quote: z.string().min(1).max(4_000).describe('The words, exactly as they stand in the source.'),
      lines: z.strictObject({ from: line, to: line }).optional().describe('The lines of its file that they stand on.'),
    }),
  },
});
