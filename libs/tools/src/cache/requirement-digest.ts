import { createHash } from 'node:crypto';

/**
 * SHA-256 in hex of a requirement's words: compatibility forms, case, punctuation and blanks make no difference, so that the
 * same sentence from two documents, or with other quotation marks, is one requirement. Numbers, signs and units stay.
 */
export function requirementDigest(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    // The point in 2.5 is no punctuation.
    .replace(/(?<=\d)[.,](?=\d)/g, (mark) => (mark === '.' ? '\u2024' : '\u201a'))
    .replace(/[^\p{L}\p{N}\p{M}\u2024\u201a<>≤≥=±+\-%°€$/§]+/gu, ' ')
    .replace(/(?<!\S)[-/]+(?!\S)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return createHash('sha256').update(words).digest('hex');
}
