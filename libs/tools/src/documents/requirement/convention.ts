import type { Block } from '../format/source-document.js';
import type { Language } from '../extraction/language.js';
import { pause } from '../format/pause.js';
import { maskSentence } from './mask-sentence.js';

/** Languages in which a document writes its key words in capitals, so that the same words in lower case oblige to nothing. */
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

/** Fewer capitals than this are emphasis, not a convention. */
const MIN_UPPER = 3;

const BLOCKS_A_TURN = 1_000;

const letters = (text: string): string => text.replace(/[^\p{L}]/gu, '');

/** Whether a text is set in capitals throughout, as legal notices and titles are; then capitals mark nothing. */
export function isAllCaps(text: string): boolean {
  const found = letters(text);
  return found.length > 24 && found === found.toUpperCase();
}

/**
 * Finds out whether a document follows RFC 2119 with RFC 8174 (or the German manner of the same): it names one of them,
 * or its capitals outnumber the same words in lower case.
 */
export async function conventionOf(blocks: readonly Block[], signal: AbortSignal): Promise<Convention> {
  const counts = { en: { upper: 0, lower: 0 }, de: { upper: 0, lower: 0 } };
  let declared = false;
  for (const [i, block] of blocks.entries()) {
    if (i % BLOCKS_A_TURN === 0) await pause(signal);
    if (block.kind === 'code' || block.kind === 'heading') continue;
    declared ||= declaration.test(block.text) && /key\s?words?|capital|MUST|Schlüssel/iu.test(block.text);
    if (isAllCaps(block.text)) continue;
    const text = maskSentence(block.text, block.code);
    for (const language of ['en', 'de'] as const) {
      counts[language].upper += text.match(upper[language])?.length ?? 0;
      counts[language].lower += text.match(lower[language])?.length ?? 0;
    }
  }
  const follows = (language: Language): boolean => {
    const { upper: capitals, lower: small } = counts[language];
    return capitals >= MIN_UPPER && (capitals >= small || (declared && capitals * 4 >= small));
  };
  return { en: follows('en'), de: follows('de') };
}
