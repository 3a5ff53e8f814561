import type { Modality } from './modality.js';
import { leftOut, type LeftOut, type Rule, type Surroundings, type Verdict } from './rule.js';

/** A plain statement with a key word of RFC 2119: as sure as it gets without reading the sentence. */
const SURE = 0.97;
/** `OPTIONAL attributes`, `the RECOMMENDED action`: the word qualifies a noun, which says less than a predicate. */
const ATTRIBUTIVE = 0.62;

const modalityOf: Readonly<Record<string, Modality>> = {
  MUST: 'obligation', SHALL: 'obligation', REQUIRED: 'obligation', MANDATORY: 'obligation', 'MUST NOT': 'prohibition', 'SHALL NOT': 'prohibition',
  SHOULD: 'recommendation', RECOMMENDED: 'recommendation', 'SHOULD NOT': 'discouraged', 'NOT RECOMMENDED': 'discouraged',
  MAY: 'permission', OPTIONAL: 'optional', OPTIONALLY: 'optional', 'NOT REQUIRED': 'optional', 'MAY NOT': 'prohibition',
}; // prettier-ignore

/** Talk about the word itself: "the meaning of OPTIONAL", "designated as REQUIRED", "the MUST level". */
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

const MENTIONED = 'the word is talked about, not used';

function judgeEnglish(at: Surroundings): Verdict | LeftOut {
  const words = at.words.replace(/\s+/g, ' ');
  const modality = modalityOf[words];
  if (!modality || isMention(at)) return leftOut(MENTIONED);
  // "no X MUST", "none of X MAY"
  const negated =
    /^[\W\d]*(?:no|none of|neither|nobody|no one)\b/i.test(at.clauseLeft) && /^(?:MUST|SHALL|MAY)$/.test(words);
  if (negated) return { modality: 'prohibition', confidence: SURE };
  if (
    /^(?:MUST|SHALL|SHOULD)$/.test(words) &&
    /^\s+(?:never|neither|in no (?:case|event)|under no circumstances)\b/i.test(at.right)
  ) {
    return { modality: words === 'SHOULD' ? 'discouraged' : 'prohibition', confidence: SURE };
  }
  if (words === 'MAY' && (/^\s+(?:only|ONLY)\b/.test(at.right) || /^[\W\d]*only\b/i.test(at.left)))
    return { modality: 'obligation', confidence: 0.9 };
  if (words === 'MAY NOT') return { modality, confidence: 0.8 };
  const adjective = /^(?:REQUIRED|RECOMMENDED|OPTIONAL|MANDATORY)$/.test(words);
  const predicate =
    /\b(?:is|are|be|being|been|was|were|remains?|becomes?|as)\s+(?:\w+ly\s+|not\s+|either\s+)?$/i.test(at.left) ||
    at.left.trim() === '' ||
    /[:,(|–—-]\s*$/.test(at.left);
  if (adjective && !predicate && /^\s+[\p{L}x`"]/u.test(at.right)) return { modality, confidence: ATTRIBUTIVE };
  return { modality, confidence: SURE };
}

const germanNegation = /^[^.;:!?]*?\b(?:NICHT|nicht|KEINE?[NMRS]?|keine?[nmrs]?|NIEMALS|niemals|NIE|WEDER)\b/u;
const germanRestriction =
  /^[^.;:!?]*?\b(?:NUR|nur|AUSSCHLIESSLICH|ausschließlich|LEDIGLICH|lediglich|ERST|erst|HÖCHSTENS|höchstens)\b/u;

function judgeGerman(at: Surroundings): Verdict | LeftOut {
  if (isMention(at)) return leftOut(MENTIONED);
  const { words, clauseRight, clauseLeft } = at;
  const denied = germanNegation.test(clauseRight) && !/^[^.;:!?]*?\b(?:nicht|NICHT)\s+(?:nur|NUR)\b/u.test(clauseRight);
  if (/^(?:MUSS|MÜSSEN)$/.test(words))
    return { modality: /^\s+NICHT\b/.test(at.right) ? 'optional' : 'obligation', confidence: SURE };
  if (/^(?:DARF|DÜRFEN)$/.test(words)) {
    if (denied || /^[\W\d]*(?:Kein|KEIN|Niemand)/u.test(clauseLeft))
      return { modality: 'prohibition', confidence: SURE };
    if (germanRestriction.test(clauseRight) || /^[\W\d]*(?:Nur|NUR|Ausschließlich)/u.test(clauseLeft))
      return { modality: 'obligation', confidence: 0.93 };
    return { modality: 'permission', confidence: SURE };
  }
  if (/^SOLL/.test(words))
    return {
      modality: /^[^.;:!?]*?\b(?:NICHT|KEINE?[NMRS]?)\b/u.test(clauseRight) ? 'discouraged' : 'recommendation',
      confidence: SURE,
    };
  if (/^(?:KANN|KÖNNEN)$/.test(words)) return { modality: 'permission', confidence: SURE };
  if (/EMPFOHLEN/.test(words))
    return { modality: words.startsWith('NICHT') ? 'discouraged' : 'recommendation', confidence: SURE };
  return { modality: words.startsWith('NICHT') ? 'optional' : 'obligation', confidence: SURE };
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
