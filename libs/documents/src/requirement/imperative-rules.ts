import type { Rule, Surroundings, Assessment } from './rule.js';

/*
 * Instructions without a word of obligation: "Set a good root password.", "Führen Sie dies nur einmal aus." The same form explains
 * optional steps, so an instruction is doubtful; a prohibition is certain.
 */

/** Confidence of an instruction: doubtful, listed for review. */
const INSTRUCTION_CONFIDENCE = 0.42;
const PROHIBITION_CONFIDENCE = 0.6;

/** Verbs of instructions in manuals and policies. `nounReading` excludes verbs that are nouns at the start of a sentence ("Use of …"). */
const englishVerbs =
  'accept|add|adjust|adopt|allow|alter|apply|archive|arrange|ask|assign|assume|attach|avoid|back\\s+up|be|begin|block|build|bring|call|carry|change|check|choose|clean|clear|close|collect|combine|compare|compile|complete|configure|confirm|connect|consider|consult|contact|convert|copy|create|declare|define|delete|deny|describe|destroy|disable|disconnect|discuss|document|download|edit|educate|enable|encrypt|enforce|enter|erase|escape|examine|exclude|execute|exercise|explain|export|extend|file|fill|find|fix|follow|forward|generate|get|give|grant|handle|have|hold|identify|implement|import|include|increase|indicate|inform|initiali[sz]e|insert|inspect|install|introduce|invoke|isolate|keep|label|lay|leave|let|limit|link|load|lock|log|look|maintain|make|mark|mention|minimi[sz]e|modify|monitor|mount|move|name|notify|obtain|omit|open|pass|pay|perform|place|plan|prefer|prepare|prevent|prohibit|protect|provide|publish|put|quote|raise|read|rebuild|reboot|record|reduce|refer|refrain|refuse|register|reject|release|remember|remove|rename|repack|repeat|replace|report|request|require|reset|resolve|respect|respond|restart|restore|restrict|return|review|revoke|rotate|run|save|secure|select|send|separate|set|set\\s+up|share|shut|sign|specify|split|start|stay|stick|stop|store|submit|subscribe|supply|switch|take|tell|test|throw|tighten|track|transfer|treat|try|tunnel|turn|tweak|type|unclutter|uninstall|unpack|update|upgrade|upload|use|validate|verify|wait|warn|wipe|wrap|write|do';

/** Words that may precede the verb at the start of a clause. */
const englishLead =
  '(?:(?:also|then|next|now|first|finally|instead|generally|in general|of course|afterwards|additionally|therefore|otherwise|and|but|so|or|just|simply|please|kindly|temporarily|only|always|at least|if possible|when possible|where possible|if necessary|as usual|in there|on the other hand|if desired)[,\\s]+){0,3}';

/** The start of a clause before an instruction: "If it fails, restart it." */
const englishIntroduction =
  /^[\W\d]*(?:and\s+|but\s+|also,?\s+|then,?\s+|however,?\s+)?(?:if|when|whenever|once|unless|until|before|after|while|where|wherever|as soon as|for|to|in|on|at|with|without|by|during|due to|because of|instead of|rather than|depending on|under|from|since|as|whatever|whoever|otherwise)\b/i;

const nounReading =
  /^\s+(?:of|is|are|was|were|has|have|will|may|must|shall|should|can|cannot|does|do)\b|^\s*(?:[:)]|$)|^\//i;

function judgeEnglish(at: Surroundings): Assessment | undefined {
  const { left, right, words } = at;
  if (nounReading.test(right)) return undefined;
  // "be" starts an instruction in "be careful" or "be sure"; elsewhere it is part of another verb.
  if (/^be$/i.test(words) && left.trim() !== '' && !/[,;(]\s*$/.test(left)) return undefined;
  if (!canStartInstruction(left)) return undefined;
  return {
    modality: /^(?:consider|prefer|try)$/i.test(words) ? 'recommendation' : 'obligation',
    confidence: INSTRUCTION_CONFIDENCE,
  };
}

const leadingWords = new RegExp(`(?:^|(?<=[\\s,;:(–—]))${englishLead}$`, 'i');
/** Characters before a verb that are searched for leading words. */
const MAX_LEAD_CHARACTERS = 80;

/** Whether an instruction can start after this text: at the start of the sentence, or after a clause that states when it applies. */
function canStartInstruction(left: string): boolean {
  const cut = Math.max(0, left.length - MAX_LEAD_CHARACTERS);
  const before = left.slice(0, cut) + left.slice(cut).replace(leadingWords, '');
  if (/^[\W\d]*$/.test(before)) return true;
  if (/[;:–—(]\s*$/.test(before)) return true;
  return /,\s*$/.test(before) && englishIntroduction.test(before);
}

export const englishImperatives: readonly Rule[] = [
  {
    pattern: new RegExp(
      `(?<=^[^\\p{L}]*|[,;:(–—]\\s*|\\b(?:also|then|next|now|first|finally|instead|generally|and|but|so|or|just|simply|please|temporarily|only|always|possible|there)\\s+)(?:${englishVerbs})\\b(?![-'’.])`,
      'giu',
    ),
    judge: judgeEnglish,
  },
];

/** Verbs that form a question or a statement, not an instruction, before "Sie": "Haben Sie …, so". */
const germanStatements =
  /^(?:haben|sind|möchten|können|könnten|wollen|wollten|müssen|müssten|sollen|sollten|werden|würden|dürfen|dürften|finden|sehen|erhalten|wissen|kennen|bekommen|brauchen|benötigen|wären|hätten|waren|hatten|mögen|gehen|kommen|glauben|meinen)$/iu;
const germanAssurance = /^(?:Stellen|Sorgen|Achten|Vermeiden|Vergewissern|Denken|Versichern)$/iu;
const germanNegation = /(?<!\p{L})(?:nicht|kein(?:e[nmrs]?)?|niemals|nie|keinesfalls)(?!\p{L})(?!\s+nur)/u;
const germanIntroduction =
  /^[\W\d]*(?:und\s+|aber\s+)?(?:Wenn|Falls|Sofern|Sobald|Bevor|Nachdem|Um|Bei|Im|In|Am|An|Auf|Für|Mit|Ohne|Zum|Zur|Da|Weil|Solange|Unter|Innerhalb|Anschließend|Danach|Dann|Zuerst|Zunächst|Außerdem|Schließlich|Ansonsten|Statt|Anstatt|Vor|Nach|Natürlich)(?!\p{L})/iu;

function judgeGerman(at: Surroundings): Assessment | undefined {
  const { left, clauseLeft, right, words, sentence } = at;
  const verb = words.split(/\s+/u)[0] ?? '';
  if (germanStatements.test(verb) || /\?["”')]*\s*$/u.test(sentence)) return undefined;
  const isFirst = /^[\W\d]*(?:bitte\s+)?$/iu.test(left);
  const isAfterClause =
    /^\s*(?:(?:so|dann|und|bitte|aber|oder)\s+){0,2}$/iu.test(clauseLeft) &&
    (germanIntroduction.test(left) || /[;:–—]\s*(?:\p{Ll}+\s+){0,2}$/u.test(left));
  const isAfterPhrase = clauseLeft === left && germanIntroduction.test(left) && left.split(/\s+/u).length <= 6;
  if (!isFirst && !isAfterClause && !isAfterPhrase && !/(?:^|[\s(])(?:und|bitte|oder|aber)\s+$/iu.test(left))
    return undefined;
  const clause = right.split(/[.;:!?]|,\s*(?:dass|daß|wenn|weil|um|der|die|das|damit|außer)(?!\p{L})/u, 1)[0] ?? '';
  if (germanNegation.test(clause))
    return { modality: 'prohibition', confidence: isFirst ? PROHIBITION_CONFIDENCE : INSTRUCTION_CONFIDENCE };
  return { modality: 'obligation', confidence: isFirst && germanAssurance.test(verb) ? 0.58 : INSTRUCTION_CONFIDENCE };
}

export const germanImperatives: readonly Rule[] = [
  { pattern: /(?<![\p{L}-])(?:\p{L}{2,30}e[lr]?n|[Ss]eien|[Tt]un)\s+Sie(?!\p{L})/gu, judge: judgeGerman },
];
