import { toSingleLine } from '@phaseline/basics';
import { type Convention, isAllCaps } from './convention.js';
import { englishRules } from './english-rules.js';
import { germanRules } from './german-rules.js';
import { englishKeywords, germanKeywords } from './keyword-rules.js';
import { maskSentence } from './mask-sentence.js';
import { type Modality } from '@phaseline/contracts';
import { compareStrength } from './modality.js';
import { findObligationWords } from './obligation-words.js';
import { applyRules, createOmissionReason, type Hit, type OmissionReason, type RuleResult } from './rule.js';
import type { SectionRole } from './section-role.js';

/** The requirement that a sentence states. */
export interface Finding {
  readonly modality: Modality;
  readonly confidence: number;
  /** The words of obligation, as written. */
  readonly keyword: string;
  /** All words of obligation in the sentence, in order. */
  readonly keywords: readonly string[];
  /** Offset after the last word of obligation. */
  readonly end: number;
  readonly isUpperCase: boolean;
}

/** Result for a sentence: a finding, or its words of obligation with the reason why they do not count, or neither. */
export interface SentenceResult {
  readonly finding?: Finding;
  readonly omitted?: OmissionReason & { readonly keyword: string };
}

export interface SentenceContext {
  readonly convention: Convention;
  /** `auto` ignores lower-case words if the document writes its key words in capitals. */
  readonly lowerCase: 'auto' | 'report' | 'ignore';
  readonly role: SectionRole;
  readonly code: readonly (readonly [number, number])[];
}

/** Maximum characters of a sentence that are read. Longer "sentences" are data or broken layout. */
const MAX_SENTENCE_CHARACTERS = 4_000;

const modalWord =
  '(?:must|shall|should|may|can|required|recommended|optional|muss|müssen|soll|sollte|darf|kann|dürfen)(?:\\s+(?:not|nicht))?';
/** A definition of up to ten key words: `"shall" indicates …`, "MUST: This word means …", „muss“ bedeutet …. */
const explainsWord = new RegExp(
  `^\\W*(?:the\\s+)?(?:(?:words?|terms?|verbs?|das (?:Wort|Verb)|der Begriff)\\s+)?\\W{0,3}${modalWord}(?:[^\\p{L}]{1,4}(?:(?:and|or|und|oder)[^\\p{L}]{1,4})?${modalWord}){0,10}[^\\p{L}]{0,4}(?:indicates?|means?\\b|denotes?|expresse?s?|signif\\w+|(?:is|are) used to|this (?:word|phrase)|bedeute[nt]|bezeichne[nt]|kennzeichne[nt]|drück(?:t|en)|zeig(?:t|en) an|steh(?:t|en) für)`,
  'iu',
);

/** Whether a sentence defines the key words themselves, as the conventions at the start of a document do. */
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

/** Words that describe a change to the text instead of a requirement. */
const describesChange =
  /\b(?:chang\w+|replac\w+|add(?:ed|s)|remov\w+|renam\w+|clarif\w+|relax\w+|introduc\w+|was|were|geändert|ersetzt|ergänzt|entfernt|präzisiert|wurden?|neu)\b|\bfrom\b.*\bto\b|→|->/i;

const startsExample =
  /^[\W\d]*(?:for (?:example|instance)\b|e\.g\.|examples?\s*:|as an example\b|zum Beispiel|z\.\s?B\.|beispiels(?:weise)?\b|beispiel\s*:)/i;

/** Returns the requirement that a sentence states, or undefined if it states none. */
export function classifySentence(sentence: string, context: SentenceContext): Finding | undefined {
  return explainSentence(sentence, context).finding;
}

/** Returns the requirement that a sentence states, or the reason why its words of obligation do not count. */
export function explainSentence(sentence: string, context: SentenceContext): SentenceResult {
  const text = sentence.slice(0, MAX_SENTENCE_CHARACTERS);
  if (definesKeywords(text)) return buildOmission(sentence, 'it defines the key words themselves');
  const { hits: found, omissions } = findHits(text, context);
  const weights = found.map((hit) => ({ hit, weight: computeWeight(hit, text, context) }));
  const hits = weights.flatMap(({ hit, weight }) =>
    typeof weight === 'number' ? [{ ...hit, confidence: hit.confidence * weight }] : [],
  );
  const [best] = [...hits].sort(
    (a, b) => compareClarity(a, b) || compareStrength(a.modality, b.modality) || a.from - b.from,
  );
  if (!best) {
    const [dropped] = weights.flatMap(({ weight }) => (typeof weight === 'number' ? [] : [weight]));
    const reason = dropped?.reason ?? omissions[0]?.reason ?? explainMiss(text, context);
    const at = found[0] ?? omissions[0];
    return buildOmission(sentence, reason, at && shorten(text.slice(at.from, at.to)));
  }
  return {
    finding: {
      modality: best.modality,
      confidence: Math.round(best.confidence * 100) / 100,
      keyword: shorten(text.slice(best.from, best.to)),
      keywords: hits.map((hit) => shorten(text.slice(hit.from, hit.to))),
      end: Math.max(...hits.map((hit) => hit.to)),
      isUpperCase: best.isUpperCase,
    },
  };
}

function buildOmission(sentence: string, reason: string, words?: string): SentenceResult {
  const keyword = words ?? findObligationWords(sentence)?.words;
  return keyword === undefined ? {} : { omitted: { ...createOmissionReason(reason), keyword } };
}

/** Returns the reason why no rule matched a sentence with words of obligation. */
function explainMiss(text: string, { convention, lowerCase, code }: SentenceContext): string {
  if (text.length >= MAX_SENTENCE_CHARACTERS)
    return `only the first ${MAX_SENTENCE_CHARACTERS} characters of a long sentence are analysed`;
  if (findObligationWords(maskSentence(text, code)) === undefined)
    return 'the word is only mentioned: it is in quotes, in code or in a URL';
  if (lowerCase === 'ignore') return 'key words in lower case are ignored, as requested';
  if (lowerCase === 'auto' && (convention.en || convention.de))
    return 'the word is in lower case, and the document writes its key words in capitals';
  return 'no rule treats these words alone as an obligation';
}

/** Compares hits so that clear ones come before unclear ones, regardless of their modality. */
function compareClarity(a: Hit, b: Hit): number {
  const rateClarity = (hit: Hit): number => (hit.confidence >= 0.7 ? 2 : hit.confidence >= 0.5 ? 1 : 0);
  return rateClarity(b) - rateClarity(a);
}

function findHits(text: string, { convention, lowerCase, code }: SentenceContext): RuleResult {
  if (isAllCaps(text)) {
    const small = maskSentence(text, code).toLowerCase();
    return lowerCase === 'ignore'
      ? joinResults([])
      : joinResults([applyRules(small, englishRules, false), applyRules(small, germanRules, false)]);
  }
  // The text is a single sentence, so full stops within it, as in `3. Werktag` and `z. B.`, do not end a sentence.
  const masked = maskSentence(text, code).replace(/\.(?=\s*\S)/g, '·');
  const upper = joinResults([
    applyRules(masked, englishKeywords, true),
    ...(/(?<!\p{L})(?:MUSS|MÜSSEN|DARF|DÜRFEN|SOLL|KANN|KÖNNEN|EMPFOHLEN|ERFORDERLICH)/u.test(masked)
      ? [applyRules(masked, germanKeywords, true)]
      : []),
  ]);
  if (lowerCase === 'ignore') return upper;
  const plain = joinResults([
    ...(lowerCase === 'report' || !convention.en ? [applyRules(masked, englishRules, false)] : []),
    ...(lowerCase === 'report' || !convention.de ? [applyRules(masked, germanRules, false)] : []),
  ]);
  const hits = plain.hits.filter((hit) => !upper.hits.some((other) => hit.from < other.to && other.from < hit.to));
  return joinResults([upper, { ...plain, hits }]);
}

function joinResults(results: readonly RuleResult[]): RuleResult {
  return {
    hits: results.flatMap(({ hits }) => hits),
    omissions: results.flatMap(({ omissions }) => omissions),
  };
}

/** Returns the factor that reduces the confidence in examples, informative sections and questions, or why the hit does not count. */
function computeWeight(hit: Hit, text: string, { role }: SentenceContext): number | OmissionReason {
  let factor = 1;
  if (role === 'aside')
    return createOmissionReason('its section is about the document: contents, references, authors, licence');
  if (role === 'history') {
    if (!hit.isUpperCase || describesChange.test(text))
      return createOmissionReason('its section is a history of changes');
    factor *= 0.6;
  }
  if (role === 'informative') factor *= 0.5;
  if (role === 'example') factor *= hit.isUpperCase ? 0.7 : 0.4;
  if (startsExample.test(text)) factor *= hit.isUpperCase ? 0.85 : 0.4;
  if (/\?["”')]*\s*$/.test(text)) factor *= hit.isUpperCase ? 0.5 : 0.2;
  return factor;
}

/** Shortens a long match to its first word and its last one, because a German verb and its infinitive enclose the clause. */
function shorten(keyword: string): string {
  const words = toSingleLine(keyword).split(' ');
  if (words.length <= 4) return words.join(' ');
  return `${words[0]} … ${words.slice(words.at(-2) === 'zu' ? -2 : -1).join(' ')}`;
}
