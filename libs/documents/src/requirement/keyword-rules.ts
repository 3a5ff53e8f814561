import type { Modality } from '@phaseline/contracts';
import { createOmissionReason, type OmissionReason, type Rule, type Surroundings, type Assessment } from './rule.js';

/** Confidence of a plain statement with a key word of RFC 2119. */
const KEYWORD_CONFIDENCE = 0.97;
/** Confidence of a key word that qualifies a noun, which says less than a predicate: `OPTIONAL attributes`, `the RECOMMENDED action`. */
const ATTRIBUTE_CONFIDENCE = 0.62;

const modalityByKeyword: Readonly<Record<string, Modality>> = {
  MUST: 'obligation', SHALL: 'obligation', REQUIRED: 'obligation', MANDATORY: 'obligation', 'MUST NOT': 'prohibition', 'SHALL NOT': 'prohibition',
  SHOULD: 'recommendation', RECOMMENDED: 'recommendation', 'SHOULD NOT': 'discouraged', 'NOT RECOMMENDED': 'discouraged',
  MAY: 'permission', OPTIONAL: 'optional', OPTIONALLY: 'optional', 'NOT REQUIRED': 'optional', 'MAY NOT': 'prohibition',
}; // prettier-ignore

/** Whether the text mentions the word instead of using it: "the meaning of OPTIONAL", "designated as REQUIRED", "the MUST level". */
function isMention({ left, right }: Surroundings): boolean {
  return (
    /\b(?:definitions?|meanings?|sense|notions?|usages?|use|interpretation|Bedeutung|Definition)\s+(?:of|von|der|des)\s+(?:the\s+)?(?:(?:key\s?)?words?\s+|terms?\s+)?$/iu.test(
      left,
    ) ||
    (/\b(?:terms?|words?|key\s?words?|keyword|phrases?|verbs?|Begriffs?|Wort(?:es|s)?|Schlüsselworts?|Schlüsselwörter)\s+$/iu.test(
      left,
    ) &&
      !/^\s+(?:NOT\s+)?(?:be|have|contain|use|include|only|also)\b/i.test(right)) ||
    /\b(?:designated|marked|labell?ed|flagged|denoted|listed|shown|tagged|gekennzeichnet|markiert)\s+(?:as|with|by|als|mit)\s+(?:being\s+)?$/iu.test(
      left,
    ) ||
    /^\s+(?:level|keywords?|key\s?words?|statements?|clauses?|requirements? levels?|in this (?:document|specification)\s+(?:is|are))\b/i.test(
      right,
    ) ||
    /^\s*(?:this (?:word|phrase)|,? or the (?:terms?|phrases?|adjectives?)\b)/i.test(right)
  );
}

const MENTIONED = 'the word is mentioned, not used';

function judgeEnglish(at: Surroundings): Assessment | OmissionReason {
  const words = at.words.replace(/\s+/g, ' ');
  const modality = modalityByKeyword[words];
  if (!modality || isMention(at)) return createOmissionReason(MENTIONED);
  // "no X MUST", "none of X MAY"
  const isNegated =
    /^[\W\d]*(?:no|none of|neither|nobody|no one)\b/i.test(at.clauseLeft) && /^(?:MUST|SHALL|MAY)$/.test(words);
  if (isNegated) return { modality: 'prohibition', confidence: KEYWORD_CONFIDENCE };
  if (
    /^(?:MUST|SHALL|SHOULD)$/.test(words) &&
    /^\s+(?:never|neither|in no (?:case|event)|under no circumstances)\b/i.test(at.right)
  ) {
    return { modality: words === 'SHOULD' ? 'discouraged' : 'prohibition', confidence: KEYWORD_CONFIDENCE };
  }
  if (words === 'MAY' && (/^\s+(?:only|ONLY)\b/.test(at.right) || /^[\W\d]*only\b/i.test(at.left)))
    return { modality: 'obligation', confidence: 0.9 };
  if (words === 'MAY NOT') return { modality, confidence: 0.8 };
  const isAdjective = /^(?:REQUIRED|RECOMMENDED|OPTIONAL|MANDATORY)$/.test(words);
  const isPredicate =
    /\b(?:is|are|be|being|been|was|were|remains?|becomes?|as)\s+(?:\w+ly\s+|not\s+|either\s+)?$/i.test(at.left) ||
    at.left.trim() === '' ||
    /[:,(|–—-]\s*$/.test(at.left);
  if (isAdjective && !isPredicate && /^\s+[\p{L}x`"]/u.test(at.right))
    return { modality, confidence: ATTRIBUTE_CONFIDENCE };
  return { modality, confidence: KEYWORD_CONFIDENCE };
}

const germanNegation = /^[^.;:!?]*?\b(?:NICHT|nicht|KEINE?[NMRS]?|keine?[nmrs]?|NIEMALS|niemals|NIE|WEDER)\b/u;
const germanRestriction =
  /^[^.;:!?]*?\b(?:NUR|nur|AUSSCHLIESSLICH|ausschließlich|LEDIGLICH|lediglich|ERST|erst|HÖCHSTENS|höchstens)\b/u;

function judgeGerman(at: Surroundings): Assessment | OmissionReason {
  if (isMention(at)) return createOmissionReason(MENTIONED);
  const { words, clauseRight, clauseLeft } = at;
  const isNegated =
    germanNegation.test(clauseRight) && !/^[^.;:!?]*?\b(?:nicht|NICHT)\s+(?:nur|NUR)\b/u.test(clauseRight);
  if (/^(?:MUSS|MÜSSEN)$/.test(words))
    return { modality: /^\s+NICHT\b/.test(at.right) ? 'optional' : 'obligation', confidence: KEYWORD_CONFIDENCE };
  if (/^(?:DARF|DÜRFEN)$/.test(words)) {
    if (isNegated || /^[\W\d]*(?:Kein|KEIN|Niemand)/u.test(clauseLeft))
      return { modality: 'prohibition', confidence: KEYWORD_CONFIDENCE };
    if (germanRestriction.test(clauseRight) || /^[\W\d]*(?:Nur|NUR|Ausschließlich)/u.test(clauseLeft))
      return { modality: 'obligation', confidence: 0.93 };
    return { modality: 'permission', confidence: KEYWORD_CONFIDENCE };
  }
  if (/^SOLL/.test(words))
    return {
      modality: /^[^.;:!?]*?\b(?:NICHT|KEINE?[NMRS]?)\b/u.test(clauseRight) ? 'discouraged' : 'recommendation',
      confidence: KEYWORD_CONFIDENCE,
    };
  if (/^(?:KANN|KÖNNEN)$/.test(words)) return { modality: 'permission', confidence: KEYWORD_CONFIDENCE };
  if (/EMPFOHLEN/.test(words))
    return { modality: words.startsWith('NICHT') ? 'discouraged' : 'recommendation', confidence: KEYWORD_CONFIDENCE };
  return { modality: words.startsWith('NICHT') ? 'optional' : 'obligation', confidence: KEYWORD_CONFIDENCE };
}

export const englishKeywords: readonly Rule[] = [
  { pattern: /\b(?:MUST|SHALL|SHOULD|MAY)\s+NOT\b|\bNOT\s+(?:RECOMMENDED|REQUIRED)\b/g, judge: judgeEnglish },
  { pattern: /\b(?:MUST|SHALL|REQUIRED|MANDATORY|SHOULD|RECOMMENDED|MAY|OPTIONAL(?:LY)?)\b/g, judge: judgeEnglish },
];

export const germanKeywords: readonly Rule[] = [
  {
    pattern:
      /(?<!\p{L})(?:MUSS|MÜSSEN|DARF|DÜRFEN|SOLL|SOLLEN|SOLLTE|SOLLTEN|KANN|KÖNNEN|(?:NICHT )?EMPFOHLEN|(?:NICHT )?ERFORDERLICH)(?!\p{L})/gu,
    judge: judgeGerman,
  },
];
