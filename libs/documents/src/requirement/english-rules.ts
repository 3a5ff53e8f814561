import { englishImperatives } from './imperative-rules.js';
import type { Modality } from '@phaseline/contracts';
import { createOmissionReason, type OmissionReason, type Rule, type Surroundings, type Assessment } from './rule.js';

/*
 * Obligations in plain English. Each rule recognises uses of its words that state no obligation; `adjustByClause` handles what all rules
 * have in common: conditions, relative clauses, reported speech.
 */

const pronounSubject = /\b(?:this|that|it|there|he|she|they|which|something|someone|somebody)\s*$/i;
const firstPerson = /\b(?:I|we)\s*(?:\w+ly\s+|also\s+|now\s+)?$/i;
const condition =
  /^[\W\d]*(?:and\s+|or\s+|but\s+|even\s+|only\s+)?(?:if|when|whenever|where|wherever|unless|because|since|although|though|while|whilst|until|once|in case|provided|whether|as long as|to the extent)\b/i;
const indirectQuestion = /\b(?:what|how|why|whether|which|who|whom|when|where)\b(?:\s+[\p{L}\p{N}'’-]+){0,7}\s*$/iu;
const asksOrTells =
  /\b(?:describ\w+|explain\w*|defin\w+|specif\w+|show\w*|list\w*|discuss\w*|determin\w+|decid\w+|know\w*|understand\w*|ask\w*|see|indicat\w+|on|of|for|about|regarding|and|to|exactly|just)\s+$/i;
const reported = /\b(?:said|argued|suggested|complained|believed|felt|thought|claimed|wrote|objected|proposed)\b/i;
/** A reference to the past at the start of a sentence: "Formerly, …", "In an earlier version, …". Elsewhere such words belong to a noun. */
const past =
  /^[\W\d]*(?:formerly|previously|historically|in (?:an? |the )?(?:earlier|previous|former|old|older) (?:version|edition|release|draft|revision)s?|until (?:19|20)\d\d)\b/i;
/** A verb of the conditional clause itself: "If the light is red the operator must stop, …". */
const ownVerb = /\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|will|\p{L}{3,}(?:[^s\W]s|ed))\b/iu;
const reasonOrTime = /^[\W\d]*(?:and\s+|or\s+|but\s+)?(?:because|since|although|though|while|whilst|until|whether)\b/i;
/** Confidence of a doubtful candidate, which is listed for review. */
const DOUBTFUL_CONFIDENCE = 0.42;
/** Confidence of words that more often state what may happen or would be; reviewed last. */
const POSSIBLE_CONFIDENCE = 0.3;

const makeDoubtful = (assessment: Assessment): Assessment => ({
  ...assessment,
  confidence: Math.min(assessment.confidence, DOUBTFUL_CONFIDENCE),
});

const countWords = (text: string): number => text.trim().split(/\s+/).filter(Boolean).length;

/** Reduces the confidence or rejects the match, depending on the clause that contains the words. */
function adjustByClause(at: Surroundings, assessment: Assessment): Assessment | OmissionReason {
  const { clauseLeft, left, right, sentence } = at;
  if (reported.test(left)) return createOmissionReason('it reports what somebody said or thought');
  if (past.test(sentence)) return makeDoubtful(assessment);
  if (condition.test(clauseLeft) && countWords(clauseLeft) <= 9) {
    // "If the operator must stop, call us.": the requirement follows the comma.
    if (/[,;:–—]/.test(right)) {
      if (!ownVerb.test(clauseLeft) || reasonOrTime.test(clauseLeft))
        return createOmissionReason('the words are part of a condition');
      return makeDoubtful(assessment);
    }
    // Without a comma the condition ends somewhere before the words: "When the alarm rings the operator must stop."
    if (countWords(clauseLeft) <= 3 || reasonOrTime.test(clauseLeft)) return makeDoubtful(assessment);
    return { ...assessment, confidence: Math.min(assessment.confidence, 0.66) };
  }
  // "What the customer must pay is set out below."
  if (/^[\W\d]*(?:what|how|which|whether|why)\s/i.test(left) && clauseLeft === left && countWords(left) <= 8)
    return createOmissionReason('the words are part of an indirect question');
  // "A flag that says whether the file should be kept"
  if (/\bwhether\s+(?!or\b)(?:[^\s,;:]+\s+){1,12}$/iu.test(clauseLeft))
    return createOmissionReason('the words are part of an indirect question');
  const question = indirectQuestion.exec(clauseLeft);
  if (question && asksOrTells.test(clauseLeft.slice(0, question.index)))
    return createOmissionReason('the words are part of an indirect question');
  // A relative clause describes its noun; at the end of a sentence it mostly states a requirement.
  if (/\b(?:that|which|who)\s+(?:also\s+|either\s+)?$/i.test(clauseLeft)) {
    const isLate = left.length > sentence.length * 0.5;
    return { ...assessment, confidence: Math.min(assessment.confidence, isLate ? 0.6 : DOUBTFUL_CONFIDENCE) };
  }
  if (firstPerson.test(clauseLeft)) return makeDoubtful(assessment);
  return assessment;
}

function hasNegatedSubject(at: Surroundings): boolean {
  return /^[\W\d]*(?:no|none of|neither|nobody|no one)\b/i.test(at.clauseLeft);
}

const idleMust = [
  /^\s+(?:also\s+|therefore\s+)?be\s+(?:understood|read|seen|regarded|viewed|taken|interpreted|considered)\s+(?:as|in)\b/i,
  /^\s+(?:surely|certainly|obviously|presumably|probably|have seemed|seem|confess|admit|say|wonder)\b/i,
  /^\s+be\s+(?:an?|the)\s+(?:mistake|error|misunderstanding|coincidence|reason|bug|oversight|cause)\b/i,
  /^-(?:have|see|read|do|haves)\b/i,
];
const idleRemark =
  /^\s+(?:also\s+|always\s+)?be\s+(?:noted|remembered|said|admitted|emphasi[sz]ed|stressed|pointed out|mentioned|acknowledged|conceded|recalled|borne in mind|kept in mind)\b/i;

function judgeMust(at: Surroundings): Assessment | OmissionReason | undefined {
  const { left, right, clauseLeft } = at;
  if (/\b(?:an?|absolute|real|needs)\s+$/i.test(left)) return undefined;
  if (idleMust.some((idle) => idle.test(right)) || idleRemark.test(right)) return undefined;
  if (/^\s+have\s+(?:been|had|come|gone|\w+ed)\b/i.test(right))
    return pronounSubject.test(clauseLeft)
      ? undefined
      : adjustByClause(at, { modality: 'obligation', confidence: 0.6 });
  return adjustByClause(at, { modality: hasNegatedSubject(at) ? 'prohibition' : 'obligation', confidence: 0.9 });
}

const definingShall =
  /^\s+(?:also\s+)?(?:mean|have the (?:same )?meanings?|be (?:known|referred to|defined|abbreviated|cited)|denote|refer to|be (?:deemed|construed|interpreted|read|understood|taken)|enter into force|come into force|cease|be without prejudice)\b/i;

function judgeShall(at: Surroundings): Assessment | OmissionReason | undefined {
  if (definingShall.test(at.right) || idleMust[1]?.test(at.right) || idleRemark.test(at.right)) return undefined;
  if (/^[\W\d]*nothing\b/i.test(at.clauseLeft)) return undefined;
  if (/^\s+(?:\w+\s+)?(?:have the right|be entitled|be free to|be permitted|be allowed)\b/i.test(at.right))
    return adjustByClause(at, { modality: 'permission', confidence: 0.6 });
  if (/^\s+(?:not\s+)?(?:apply|prevail|remain in force)\b/i.test(at.right))
    return adjustByClause(at, { modality: 'obligation', confidence: 0.55 });
  return adjustByClause(at, { modality: hasNegatedSubject(at) ? 'prohibition' : 'obligation', confidence: 0.92 });
}

function judgeMustNot(at: Surroundings): Assessment | OmissionReason | undefined {
  if (idleMust.some((idle) => idle.test(at.right)) || definingShall.test(at.right)) return undefined;
  if (/^\s+be\s+(?:required|obliged|obligated|necessary|bound)\b/i.test(at.right))
    return adjustByClause(at, { modality: 'optional', confidence: 0.4 });
  if (/^\s+(?:apply|affect|prejudice|preclude|prevent|be without|extend)\b/i.test(at.right))
    return adjustByClause(at, { modality: 'optional', confidence: 0.4 });
  return adjustByClause(at, { modality: 'prohibition', confidence: 0.92 });
}

const idleShould =
  /^\s+(?:now|be no (?:need|reason|problem|difference|harm)|be (?:sufficient|enough|fine|clear|obvious|easy|possible|familiar|self-explanatory|okay|ok)|suffice|work|help|look|have been|have (?:seen|noticed|heard)|be able to (?:see|find|guess))\b/i;

function judgeShould(at: Surroundings): Assessment | OmissionReason | undefined {
  const { right, clauseLeft, left } = at;
  // "Should the server fail, …" is a condition.
  if (/^[\s"“(]*$/.test(left) && /^Should/.test(at.words)) return undefined;
  if (clauseLeft.trim() === '' && /^\s+(?:you|it|there|the|an?|this|that|any|they|he|she|we|one)\b/i.test(right))
    return undefined;
  if (idleShould.test(right) || idleRemark.test(right) || idleMust[0]?.test(right)) return undefined;
  if (
    pronounSubject.test(clauseLeft) &&
    /^\s+(?:only\s+|not\s+)?(?:make|give|take|allow|result|happen|reduce|improve|lead|cover|mean|come)\b/i.test(right)
  )
    return undefined;
  return adjustByClause(at, { modality: hasNegatedSubject(at) ? 'discouraged' : 'recommendation', confidence: 0.88 });
}

function judgeMay(at: Surroundings): Assessment | OmissionReason | undefined {
  const { right } = at;
  if (/^\s+(?:only|be\s+(?:\w+\s+)?only|\w+\s+only)\b/i.test(right) || /^[\W\d]*only\b/i.test(at.clauseLeft))
    return adjustByClause(at, { modality: 'obligation', confidence: 0.72 });
  if (/^\s+no\s+longer\s+be\s+\w+(?:ed|en)\b/i.test(right))
    return adjustByClause(at, { modality: 'prohibition', confidence: 0.7 });
  if (hasNegatedSubject(at)) return adjustByClause(at, { modality: 'prohibition', confidence: 0.8 });
  // Permission and possibility look the same; only a reader of the whole text can distinguish them.
  return adjustByClause(at, {
    modality: 'permission',
    confidence:
      /^\s+(?:well|occur|happen|lead|result|change|vary|cause|seem|appear|be\s+(?:able|that|because|due|lost|missing|useful|possible))\b/i.test(
        right,
      )
        ? 0.1
        : 0.4,
  });
}

const possibleNot =
  /^\s+(?:always|necessarily|yet|even|have|work|know|want|need|contain|exist|fit|match|seem|result|occur|offer|provide|support|reflect|cover|apply|meet|get|make|take|see|be\s+(?:\w+ly\s+)?(?:available|sufficient|possible|enough|suitable|complete|able|aware|known|present|clear|obvious|visible|appropriate|accurate|correct|up|the|an?|in|as))\b/i;

const createJudge =
  (modality: Modality, confidence: number): Rule['judge'] =>
  (at) =>
    adjustByClause(at, { modality, confidence });

const purposeNouns =
  /\b(?:goal|aim|purpose|objective|intention|idea|task|role|job|point|way|approach|step|plan|function|challenge|trick|solution|alternative|option|best practice|next|problem|key|practice|strategy|focus|intent)s?\b/i;

function judgeIsTo(at: Surroundings): Assessment | OmissionReason | undefined {
  const { clauseLeft, right, words: matched } = at;
  if (purposeNouns.test(clauseLeft)) return undefined;
  if (
    /\b(?:what|how|who|which|all|that)\s+(?:\w+\s+){0,2}$|\b(?:in|by|for|on|to|with|from|under) which\b/i.test(
      clauseLeft,
    )
  )
    return undefined;
  if (
    /^\s+(?:say|come|blame|follow|date|some|an?|the|be\s+(?:interpreted|understood|found|seen|expected|hoped|regretted|welcomed|read|confused|treated as an example))\b/i.test(
      right,
    )
  )
    return undefined;
  if (/^[\W\d]*(?:if|it|this|that|there)\s*$/i.test(clauseLeft)) return undefined;
  return adjustByClause(at, { modality: /\bnot\b/i.test(matched) ? 'prohibition' : 'obligation', confidence: 0.66 });
}

const hypothetical = /\b(?:may|might|could|would|can|will|to|not|never|been|cannot)\s+(?:\w+ly\s+|also\s+|still\s+)?$/i;

function judgeRequired(at: Surroundings): Assessment | OmissionReason | undefined {
  if (/\bnot\b|n['’]t\b|\bno longer\b|\bnever\b/i.test(at.words))
    return adjustByClause(at, { modality: 'optional', confidence: 0.4 });
  if (/^be/i.test(at.words) && hypothetical.test(at.left) && !/\bwill\s+(?:\w+ly\s+)?$/i.test(at.left))
    return undefined;
  if (/\b(?:that|which)\s+$/i.test(at.clauseLeft))
    return adjustByClause(at, { modality: 'obligation', confidence: POSSIBLE_CONFIDENCE });
  if (/\b(?:no|little|nothing)\b/i.test(at.clauseLeft)) return undefined;
  // A test procedure checks whether something is required; it does not require it.
  if (/\b(?:verify|verifies|confirm|check)\b/i.test(at.clauseLeft))
    return adjustByClause(at, { modality: 'obligation', confidence: 0.45 });
  return adjustByClause(at, { modality: 'obligation', confidence: /^\s+(?:to|that)\b/i.test(at.right) ? 0.82 : 0.72 });
}

/** The start of a dependent clause: "services that each office needs to have", "in case they have to". */
const dependent = /\b(?:that|which|who|what|in case|because|when|if|where)\s+(?:[\w’'-]+\s+){1,3}$/i;

function judgeHaveTo(at: Surroundings): Assessment | OmissionReason | undefined {
  if (
    /\b(?:do|does|did|don['’]t|doesn['’]t|not|never|without|no)\s+(?:\w+ly\s+)?$/i.test(at.left) ||
    /\bnot\b/i.test(at.words)
  )
    return adjustByClause(at, { modality: 'optional', confidence: 0.4 });
  if (/\bwould\s+(?:\w+ly\s+|also\s+)?$/i.test(at.left))
    return adjustByClause(at, { modality: 'obligation', confidence: POSSIBLE_CONFIDENCE });
  if (/\b(?:might|may|could|should|had|having|to)\s+(?:\w+ly\s+|also\s+)?$/i.test(at.left)) return undefined;
  if (/^\s+(?:do with|say|admit|wait and see)\b/i.test(at.right)) return undefined;
  return adjustByClause(at, { modality: 'obligation', confidence: dependent.test(at.clauseLeft) ? 0.42 : 0.76 });
}

function judgeNeedTo(at: Surroundings): Assessment | OmissionReason | undefined {
  if (/\bwould\s+(?:\w+ly\s+|also\s+)?$/i.test(at.left))
    return adjustByClause(at, { modality: 'obligation', confidence: POSSIBLE_CONFIDENCE });
  if (/\b(?:do|does|did|don['’]t|doesn['’]t|not|never)\s+(?:\w+ly\s+)?$/i.test(at.left))
    return adjustByClause(at, { modality: 'optional', confidence: 0.4 });
  if (
    /\b(?:the|an?|no|any|this|our|their|its|without|might|may|could|greater|urgent|business|legitimate|real)\s+(?:\w+ly\s+|also\s+|strong\s+)?$/i.test(
      at.left,
    )
  )
    return undefined;
  return adjustByClause(at, { modality: 'obligation', confidence: dependent.test(at.clauseLeft) ? 0.42 : 0.66 });
}

export const englishRules: readonly Rule[] = [
  {
    pattern:
      /\b(?:must|shall)(?:\s+(?:also|therefore|in no (?:case|event)|under no circumstances|at no time))?\s+(?:not|never|neither)\b(?!\s+only\b)|\b(?:mustn|shan)['’]t\b|\b(?:must|shall)\s+(?:in no (?:case|event|way)|under no circumstances|at no time)\b/gi,
    judge: judgeMustNot,
  },
  { pattern: /\bmust\b/gi, judge: judgeMust },
  { pattern: /\bshall\b/gi, judge: judgeShall },
  {
    pattern: /\b(?:should(?:\s+(?:not|never)\b|n['’]t\b)(?!\s+only\b)|ought\s+not\s+to\b)/gi,
    judge: (at) =>
      idleShould.test(at.right) ? undefined : adjustByClause(at, { modality: 'discouraged', confidence: 0.88 }),
  },
  { pattern: /\bshould\b/gi, judge: judgeShould },
  { pattern: /\bought\s+to\b/gi, judge: createJudge('recommendation', 0.85) },
  {
    pattern: /\bmay\s+(?:not|never)\b(?!\s+only\b)/gi,
    judge: (at) =>
      /\bor\s+$/i.test(at.left)
        ? undefined
        : possibleNot.test(at.right)
          ? adjustByClause(at, { modality: 'prohibition', confidence: POSSIBLE_CONFIDENCE })
          : adjustByClause(at, { modality: 'prohibition', confidence: 0.74 }),
  },
  {
    pattern: /\byou\s+(?:may|might)\s+(?:also\s+)?(?:want|wish)\s+to\b/gi,
    judge: createJudge('recommendation', DOUBTFUL_CONFIDENCE),
  },
  { pattern: /\bmay\b/g, judge: judgeMay },
  {
    pattern:
      /\b(?:(?:is|are|be)\s+(?:not\s+|no longer\s+|(?!not\b)\w+ly\s+|always\s+|also\s+)?|isn['’]t\s+|aren['’]t\s+)required\b/gi,
    judge: judgeRequired,
  },
  { pattern: /\b(?:is|are)\s+(?:not\s+)?to\s+be\b|\b(?:is|are)\s+(?:not\s+)?to\b(?=\s+[a-z]+)/g, judge: judgeIsTo },
  { pattern: /\b(?:has|have)\s+to\b/gi, judge: judgeHaveTo },
  { pattern: /\bneeds?\s+to\b/gi, judge: judgeNeedTo },
  {
    pattern:
      /\b(?<!\b(?:a|the|no|any|this|of|in)\s)needs?\s+(?:also\s+to|all|an?|the|some|at\s+least|special|more)\b/gi,
    judge: createJudge('obligation', POSSIBLE_CONFIDENCE),
  },
  { pattern: /\bneed\s+not\b|\bneedn['’]t\b/gi, judge: createJudge('optional', 0.4) },
  {
    pattern: /\b(?:is|are|be)\s+(?:\w+ly\s+)?(?:not\s+)(?:mandatory|compulsory|obligatory|obliged|obligated)\b/gi,
    judge: createJudge('optional', 0.4),
  },
  {
    pattern: /\b(?:is|are)\s+(?:\w+ly\s+|also\s+)?(?:mandatory|compulsory|obligatory)\b/gi,
    judge: createJudge('obligation', 0.78),
  },
  {
    pattern: /\b(?:is|are|be)\s+(?:\w+ly\s+|also\s+)?(?:obliged|obligated|bound)\s+to\b/gi,
    judge: createJudge('obligation', 0.84),
  },
  {
    pattern:
      /\b(?:is|are)\s+(?:\w+ly\s+|also\s+)?(?:prohibited|forbidden|banned|disallowed|impermissible|inadmissible|not\s+(?:permitted|allowed|permissible|admissible|acceptable))\b/gi,
    judge: createJudge('prohibition', 0.8),
  },
  {
    pattern: /\b(?:undertakes?|commits?|covenants?)\s+(?:itself\s+|themselves\s+)?(?:not\s+)?to\b/gi,
    judge: createJudge('obligation', 0.62),
  },
  {
    pattern: /\b(?:is|are)\s+(?:\w+ly\s+)?(?:not\s+(?:recommended|advised|advisable)|discouraged)\b/gi,
    judge: createJudge('discouraged', 0.85),
  },
  {
    pattern: /\b(?:is|are)\s+(?:\w+ly\s+)?(?:recommended|advised|advisable|encouraged)\b/gi,
    judge: createJudge('recommendation', 0.85),
  },
  {
    pattern: /\bit\s+is\s+(?:\w+ly\s+)?(?:essential|vital|imperative|crucial)\s+(?:that|to|for)\b/gi,
    judge: createJudge('obligation', 0.62),
  },
  {
    pattern: /\brequires?\s+(?:that\b|(?:the|each|all|every|any)\s+(?:\w+\s+){1,4}to\b)/gi,
    judge: createJudge('obligation', 0.6),
  },
  {
    pattern:
      /(?<=^[\W\d]*)(?:do\s+not|don['’]t|never)\s+(?!worry|forget|hesitate|panic|mind|confuse|fear|only|before|again)[a-z]+/gi,
    judge: createJudge('prohibition', 0.6),
  },
  { pattern: /(?<=^[\W\d]*)(?:always\s+[a-z]+|ensure\s+that|make\s+sure)\b/gi, judge: createJudge('obligation', 0.58) },
  {
    pattern: /\b(?:is|are)\s+(?:\w+ly\s+)?only\s+(?:permitted|allowed|permissible|acceptable)\b/gi,
    judge: createJudge('obligation', 0.72),
  },
  {
    pattern: /\b(?:is|are)\s+(?:permitted|allowed|entitled|authori[sz]ed)\s+to\b/gi,
    judge: createJudge('permission', 0.4),
  },
  // The mark after the name of a field or an argument: "Maintainer (mandatory)".
  {
    pattern: /(?<=\S\s*)\((?:mandatory|required|obligatory|compulsory)\)/gi,
    judge: () => ({ modality: 'obligation', confidence: 0.66 }),
  },
  { pattern: /(?<=\S\s*)\(recommended\)/gi, judge: () => ({ modality: 'recommendation', confidence: 0.66 }) },
  // Recommendations in other words. "We recommend" is certain; other evaluations may be descriptions.
  {
    pattern: /\b(?:we|I)\s+(?:\w+ly\s+|also\s+|would\s+){0,2}(?:recommend|suggest|advise|encourage|urge)\b/gi,
    judge: () => ({ modality: 'recommendation', confidence: 0.6 }),
  },
  {
    pattern:
      /\b(?:is|are|be)\s+(?:\w+\s+){0,2}responsibility\s+(?:of|to|for)\b|\b(?:is|are|be)\s+(?:(?:the|an?)\s+)?(?:[\w-]+\s+){0,3}[\w-]+['’]s?\s+responsibility\s+to\b|\bresponsibility\b(?=.{0,120}\b(?:lies|rests)\s+with\b)/gi,
    judge: createJudge('obligation', 0.6),
  },
  {
    pattern:
      /\b(?:would|might|may|could|will)?\s*(?:is|are|be|['’]s)\s+(?:\w+ly\s+|also\s+|however\s+|often\s+|always\s+|generally\s+){0,2}(?:not\s+)?(?:a\s+|an\s+)?(?:\w+ly\s+|very\s+)?(?:good|better|best|bad|poor|wise|unwise|prudent|sensible|reasonable|desirable|undesirable|preferable|preferred|advisable|inadvisable|safer|safest|unsafe|dangerous|appropriate|inappropriate|helpful|useful)(?:\s+(?:idea|practi[cs]e|style|choice|habit))?(?=\s+(?:to|that|if|not|when)\b)|\b(?:is|are|be)\s+(?:\w+ly\s+|also\s+|however\s+|often\s+){0,2}(?:not\s+)?(?:a\s+)?(?:very\s+)?(?:good|bad|poor|best)\s+(?:idea|practi[cs]e|style|choice|habit)\b|\bideally\b/gi,
    judge: (at) =>
      adjustByClause(at, {
        modality: /\b(?:not|bad|poor|unwise|undesirable|inadvisable|unsafe|dangerous|inappropriate)\b/i.test(at.words)
          ? 'discouraged'
          : 'recommendation',
        confidence: DOUBTFUL_CONFIDENCE,
      }),
  },
  { pattern: /\brecommended\b|\bencouraged\b/gi, judge: createJudge('recommendation', DOUBTFUL_CONFIDENCE) },
  {
    pattern: /\bcan\s+(?:be\s+)?only\b|\bonly\s+be\s+\w+(?:ed|en)\b/gi,
    judge: createJudge('obligation', DOUBTFUL_CONFIDENCE),
  },
  { pattern: /\brequires?\s+(?=[\p{L}\d])|\bis\s+necessary\b/giu, judge: createJudge('obligation', 0.4) },
  {
    pattern: /\b(?:is|are)\s+an?\s+error\s+(?:to|if|when)\b|\bcan(?:not)?\s+be\s+an\s+excuse\b/gi,
    judge: createJudge('prohibition', 0.6),
  },
  // Obligations in other words: doubtful, because the same words are also used in descriptions.
  {
    pattern:
      /\b(?:is|are)\s+(?:solely\s+|also\s+)?responsible\s+for\b|\bit\s+is\s+(?:\w+ly\s+|also\s+)?important\s+(?:that|to)\b|\b(?:is|are)\s+necessary\s+(?:to|that|for)\b|\b(?:is|are)\s+(?:\w+\s+)?(?:supposed|expected)\s+to\b|\bplease\b|\b(?:had|['’]d)\s+better\b|\bmake\s+sure\b|\bensure\s+that\b|\b(?:be\s+sure|take\s+care|be\s+careful)\b/gi,
    judge: createJudge('obligation', DOUBTFUL_CONFIDENCE),
  },
  ...englishImperatives,
];
