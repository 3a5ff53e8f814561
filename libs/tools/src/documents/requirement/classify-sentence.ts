import { type Convention, isAllCaps } from './convention.js';
import { englishRules } from './english-rules.js';
import { germanRules } from './german-rules.js';
import { englishKeywords, germanKeywords } from './keyword-rules.js';
import { maskSentence } from './mask-sentence.js';
import { byStrength, type Modality } from './modality.js';
import { applyRules, type Hit } from './rule.js';
import type { SectionRole } from './section-role.js';

/** What one sentence obliges to. */
export interface Finding {
  readonly modality: Modality;
  readonly confidence: number;
  /** The words that say so, as they stand. */
  readonly keyword: string;
  /** All such words of the sentence, in order. */
  readonly keywords: readonly string[];
  /** Offset behind the last of them. */
  readonly end: number;
  readonly upperCase: boolean;
}

export interface SentenceContext {
  readonly convention: Convention;
  /** `auto` leaves lower-case words out where the document has its key words in capitals. */
  readonly lowerCase: 'auto' | 'report' | 'ignore';
  readonly role: SectionRole;
  readonly code: readonly (readonly [number, number])[];
}

/** Longer "sentences" are data or broken layout; what they oblige to stands near their beginning if anywhere. */
const MAX_CHARACTERS = 4_000;

const modalWord =
  '(?:must|shall|should|may|can|required|recommended|optional|muss|müssen|soll|sollte|darf|kann|dürfen)(?:\\s+(?:not|nicht))?';
/** `"shall" indicates …`, "MUST: This word means …", „muss“ bedeutet …: up to ten words in a row, then what they mean. */
const explainsWord = new RegExp(
  `^\\W*(?:the\\s+)?(?:(?:words?|terms?|verbs?|das (?:Wort|Verb)|der Begriff)\\s+)?\\W{0,3}${modalWord}(?:[^\\p{L}]{1,4}(?:(?:and|or|und|oder)[^\\p{L}]{1,4})?${modalWord}){0,10}[^\\p{L}]{0,4}(?:indicates?|means?\\b|denotes?|expresse?s?|signif\\w+|(?:is|are) used to|this (?:word|phrase)|bedeute[nt]|bezeichne[nt]|kennzeichne[nt]|drück(?:t|en)|zeig(?:t|en) an|steh(?:t|en) für)`,
  'iu',
);

/** Whether a sentence explains the words of obligation themselves, as the conventions at the head of a document do. */
function definesKeywords(text: string): boolean {
  const keywords = text.match(/\b(?:MUST|SHALL|SHOULD|MAY|REQUIRED|RECOMMENDED|OPTIONAL)\b/g)?.length ?? 0;
  if (
    keywords >= 3 &&
    /\b(?:key\s?words?|terms|words|capitali[sz]ed)\b/i.test(text) &&
    /\b(?:interpreted|described|understood|defined|meanings?)\b/i.test(text)
  )
    return true;
  if (
    /\b(?:RFC\s?2119|RFC\s?8174|BCP\s?14)\b/.test(text) &&
    /\b(?:interpreted as|key\s?words|terminology)\b/i.test(text)
  )
    return true;
  if (
    /(?<!\p{L})(?:Schlüsselw(?:ort|örter)|Modalverb(?:en)?)(?!\p{L})/u.test(text) &&
    /(?:zu verstehen|bedeut|auszulegen|beschrieben|interpretier|verwendet)/u.test(text)
  )
    return true;
  return explainsWord.test(text);
}

/** Words that tell of a change to the text instead of making a demand. */
const tellsOfChange =
  /\b(?:chang\w+|replac\w+|add(?:ed|s)|remov\w+|renam\w+|clarif\w+|relax\w+|introduc\w+|was|were|geändert|ersetzt|ergänzt|entfernt|präzisiert|wurden?|neu)\b|\bfrom\b.*\bto\b|→|->/i;

const startsExample =
  /^[\W\d]*(?:for (?:example|instance)\b|e\.g\.|examples?\s*:|as an example\b|zum Beispiel|z\.\s?B\.|beispiels(?:weise)?\b|beispiel\s*:)/i;

/** Decides whether a sentence obliges, and to what. Undefined where it does not, or only seems to. */
export function classifySentence(sentence: string, context: SentenceContext): Finding | undefined {
  const text = sentence.slice(0, MAX_CHARACTERS);
  if (definesKeywords(text)) return undefined;
  const hits = hitsOf(text, context).flatMap((hit) => weighed(hit, text, context) ?? []);
  const [best] = [...hits].sort((a, b) => rank(a, b) || byStrength(a.modality, b.modality) || a.from - b.from);
  if (!best) return undefined;
  return {
    modality: best.modality,
    confidence: Math.round(best.confidence * 100) / 100,
    keyword: shorten(text.slice(best.from, best.to)),
    keywords: hits.map((hit) => shorten(text.slice(hit.from, hit.to))),
    end: Math.max(...hits.map((hit) => hit.to)),
    upperCase: best.upperCase,
  };
}

/** Clear words come before unclear ones, whatever they oblige to. */
function rank(a: Hit, b: Hit): number {
  const clear = (hit: Hit): number => (hit.confidence >= 0.7 ? 2 : hit.confidence >= 0.5 ? 1 : 0);
  return clear(b) - clear(a);
}

function hitsOf(text: string, { convention, lowerCase, code }: SentenceContext): Hit[] {
  if (isAllCaps(text)) {
    const small = maskSentence(text, code).toLowerCase();
    return lowerCase === 'ignore'
      ? []
      : [...applyRules(small, englishRules, false), ...applyRules(small, germanRules, false)];
  }
  // The sentence is one: the full stops inside of it, of `3. Werktag` and `z. B.`, end nothing.
  const masked = maskSentence(text, code).replace(/\.(?=\s*\S)/g, '·');
  const english = applyRules(masked, englishKeywords, true);
  const german = /(?<!\p{L})(?:MUSS|MÜSSEN|DARF|DÜRFEN|SOLL|KANN|KÖNNEN|EMPFOHLEN|ERFORDERLICH)/u.test(masked)
    ? applyRules(masked, germanKeywords, true)
    : [];
  const upper = [...english, ...german];
  if (lowerCase === 'ignore') return upper;
  const plain = [
    ...(lowerCase === 'report' || !convention.en ? applyRules(masked, englishRules, false) : []),
    ...(lowerCase === 'report' || !convention.de ? applyRules(masked, germanRules, false) : []),
  ].filter((hit) => !upper.some((other) => hit.from < other.to && other.from < hit.to));
  return [...upper, ...plain];
}

/** Lowers the confidence where the sentence stands among examples, in an informative part, or asks instead of saying. */
function weighed(hit: Hit, text: string, { role }: SentenceContext): Hit | undefined {
  let factor = 1;
  if (role === 'aside') return undefined;
  if (role === 'history') {
    if (!hit.upperCase || tellsOfChange.test(text)) return undefined;
    factor *= 0.6;
  }
  if (role === 'informative') factor *= 0.5;
  if (role === 'example') factor *= hit.upperCase ? 0.7 : 0.4;
  if (startsExample.test(text)) factor *= hit.upperCase ? 0.85 : 0.4;
  if (/\?["”')]*\s*$/.test(text)) factor *= hit.upperCase ? 0.5 : 0.2;
  return { ...hit, confidence: hit.confidence * factor };
}

/** German verbs embrace their clause: of a long match, the verb and its infinitive are named. */
function shorten(keyword: string): string {
  const words = keyword.replace(/\s+/g, ' ').trim().split(' ');
  if (words.length <= 4) return words.join(' ');
  return `${words[0]} … ${words.slice(words.at(-2) === 'zu' ? -2 : -1).join(' ')}`;
}
