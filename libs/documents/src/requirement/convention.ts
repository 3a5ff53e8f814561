import type { Block } from '../source-document.js';
import type { Language } from '../extraction/language.js';
import { yieldOrAbort } from '../yield-or-abort.js';
import { maskSentence } from './mask-sentence.js';

/** For each language, whether a document writes its key words in capitals, so that the same words in lower case do not count. */
export type Convention = Readonly<Record<Language, boolean>>;

const upper = {
  en: /\b(?:MUST|SHALL|SHOULD|REQUIRED|RECOMMENDED|MAY|OPTIONAL)\b/g,
  de: /(?<!\p{L})(?:MUSS|MÜSSEN|DARF|DÜRFEN|SOLLTEN?|SOLLEN?|KANN|KÖNNEN)(?!\p{L})/gu,
};
const lower = {
  en: /\b(?:must|shall|should|required|recommended)\b/g,
  de: /(?<!\p{L})(?:muss|müssen|darf|dürfen|sollten?|sollen?)(?!\p{L})/gu,
};
const declaration = /\bRFC[\s-]?(?:2119|8174)\b|\bBCP[\s-]?14\b/;

/** Minimum key words in capitals for a convention; fewer are emphasis. */
const MIN_UPPER_CASE_WORDS = 3;

/** Blocks processed per turn of the event loop. */
const BLOCKS_PER_TURN = 1_000;

const extractLetters = (text: string): string => text.replace(/[^\p{L}]/gu, '');

/** Whether a text is written in capitals throughout, like legal notices and titles, so that capitals do not mark key words. */
export function isAllCaps(text: string): boolean {
  const found = extractLetters(text);
  return found.length > 24 && found === found.toUpperCase();
}

/**
 * Detects whether a document follows RFC 2119 with RFC 8174 (or the German equivalent): it refers to one of them, or its key words in
 * capitals outnumber those in lower case.
 */
export async function detectConvention(blocks: readonly Block[], signal: AbortSignal): Promise<Convention> {
  const counts = { en: { upper: 0, lower: 0 }, de: { upper: 0, lower: 0 } };
  let isDeclared = false;
  for (const [i, block] of blocks.entries()) {
    if (i % BLOCKS_PER_TURN === 0) await yieldOrAbort(signal);
    if (block.kind === 'code' || block.kind === 'heading') continue;
    isDeclared ||= declaration.test(block.text) && /key\s?words?|capital|MUST|Schlüssel/iu.test(block.text);
    if (isAllCaps(block.text)) continue;
    const text = maskSentence(block.text, block.code);
    for (const language of ['en', 'de'] as const) {
      counts[language].upper += text.match(upper[language])?.length ?? 0;
      counts[language].lower += text.match(lower[language])?.length ?? 0;
    }
  }
  const followsConvention = (language: Language): boolean => {
    const { upper: capitals, lower: small } = counts[language];
    return capitals >= MIN_UPPER_CASE_WORDS && (capitals >= small || (isDeclared && capitals * 4 >= small));
  };
  return { en: followsConvention('en'), de: followsConvention('de') };
}
