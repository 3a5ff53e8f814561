import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 of a requirement's normalised text in hex. Compatibility forms, case, punctuation and whitespace do not count,
 * so the same sentence from two documents, or with other quotation marks, is one requirement. Numbers, signs and units count.
 */
export function digestRequirement(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    // The point in 2.5 is not punctuation.
    .replace(/(?<=\d)[.,](?=\d)/g, (mark) => (mark === '.' ? '\u2024' : '\u201a'))
    .replace(/[^\p{L}\p{N}\p{M}\u2024\u201a<>≤≥=±+\-%°€$/§]+/gu, ' ')
    .replace(/(?<!\S)[-/]+(?!\S)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return createHash('sha256').update(words).digest('hex');
}
