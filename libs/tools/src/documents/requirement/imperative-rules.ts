import type { Rule, Surroundings, Verdict } from './rule.js';

/**
 * Instructions without a word of obligation: "Set a good root password.", "Führen Sie dies nur einmal aus." The same form
 * tells how something optional is done, so an instruction is doubtful; one that forbids is clear.
 */

/** Below one half: kept for the review. */
const INSTRUCTION = 0.42;
const FORBIDS = 0.6;

/** Verbs that manuals and policies tell their readers to do. Verbs that begin a sentence as nouns ("Use of …") are told apart below. */
const englishVerbs =
  'accept|add|adjust|adopt|allow|alter|apply|archive|arrange|ask|assign|assume|attach|avoid|back\\s+up|be|begin|block|build|bring|call|carry|change|check|choose|clean|clear|close|collect|combine|compare|compile|complete|configure|confirm|connect|consider|consult|contact|convert|copy|create|declare|define|delete|deny|describe|destroy|disable|disconnect|discuss|document|download|edit|educate|enable|encrypt|enforce|enter|erase|escape|examine|exclude|execute|exercise|explain|export|extend|file|fill|find|fix|follow|forward|generate|get|give|grant|handle|have|hold|identify|implement|import|include|increase|indicate|inform|initiali[sz]e|insert|inspect|install|introduce|invoke|isolate|keep|label|lay|leave|let|limit|link|load|lock|log|look|maintain|make|mark|mention|minimi[sz]e|modify|monitor|mount|move|name|notify|obtain|omit|open|pass|pay|perform|place|plan|prefer|prepare|prevent|prohibit|protect|provide|publish|put|quote|raise|read|rebuild|reboot|record|reduce|refer|refrain|refuse|register|reject|release|remember|remove|rename|repack|repeat|replace|report|request|require|reset|resolve|respect|respond|restart|restore|restrict|return|review|revoke|rotate|run|save|secure|select|send|separate|set|set\\s+up|share|shut|sign|specify|split|start|stay|stick|stop|store|submit|subscribe|supply|switch|take|tell|test|throw|tighten|track|transfer|treat|try|tunnel|turn|tweak|type|unclutter|uninstall|unpack|update|upgrade|upload|use|validate|verify|wait|warn|wipe|wrap|write|do';

/** Words in front of the verb that leave it the first word of its clause. */
const englishLead =
  '(?:(?:also|then|next|now|first|finally|instead|generally|in general|of course|afterwards|additionally|therefore|otherwise|and|but|so|or|just|simply|please|kindly|temporarily|only|always|at least|if possible|when possible|where possible|if necessary|as usual|in there|on the other hand|if desired)[,\\s]+){0,3}';

/** A clause in front of the instruction: "If it fails, restart it." */
const englishIntroduction =
  /^[\W\d]*(?:and\s+|but\s+|also,?\s+|then,?\s+|however,?\s+)?(?:if|when|whenever|once|unless|until|before|after|while|where|wherever|as soon as|for|to|in|on|at|with|without|by|during|due to|because of|instead of|rather than|depending on|under|from|since|as|whatever|whoever|otherwise)\b/i;

const nounReading =
  /^\s+(?:of|is|are|was|were|has|have|will|may|must|shall|should|can|cannot|does|do)\b|^\s*(?:[:)]|$)|^\//i;

function judgeEnglish(at: Surroundings): Verdict | undefined {
  const { left, right, words } = at;
  if (nounReading.test(right)) return undefined;
  // "be" is an instruction as "be careful", "be sure", "be objective"; elsewhere it is the rest of another verb.
  if (/^be$/i.test(words) && left.trim() !== '' && !/[,;(]\s*$/.test(left)) return undefined;
  if (!beginsClause(left)) return undefined;
  return {
    modality: /^(?:consider|prefer|try)$/i.test(words) ? 'recommendation' : 'obligation',
    confidence: INSTRUCTION,
  };
}

const leadsOn = new RegExp(`(?:^|(?<=[\\s,;:(–—]))${englishLead}$`, 'i');
/** Characters in front of a verb that are searched for words that leave it the first of its clause. */
const LEAD_CHARACTERS = 80;

/** Whether an instruction can begin behind this text: at the start, or behind a clause that says when it holds. */
function beginsClause(left: string): boolean {
  const cut = Math.max(0, left.length - LEAD_CHARACTERS);
  const before = left.slice(0, cut) + left.slice(cut).replace(leadsOn, '');
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

/** "Haben Sie …, so": these verbs ask or state, and do not instruct, in front of "Sie". */
const germanStatements =
  /^(?:haben|sind|möchten|können|könnten|wollen|wollten|müssen|müssten|sollen|sollten|werden|würden|dürfen|dürften|finden|sehen|erhalten|wissen|kennen|bekommen|brauchen|benötigen|wären|hätten|waren|hatten|mögen|gehen|kommen|glauben|meinen)$/iu;
const germanAssurance = /^(?:Stellen|Sorgen|Achten|Vermeiden|Vergewissern|Denken|Versichern)$/iu;
const germanForbids = /(?<!\p{L})(?:nicht|kein(?:e[nmrs]?)?|niemals|nie|keinesfalls)(?!\p{L})(?!\s+nur)/u;
const germanIntroduction =
  /^[\W\d]*(?:und\s+|aber\s+)?(?:Wenn|Falls|Sofern|Sobald|Bevor|Nachdem|Um|Bei|Im|In|Am|An|Auf|Für|Mit|Ohne|Zum|Zur|Da|Weil|Solange|Unter|Innerhalb|Anschließend|Danach|Dann|Zuerst|Zunächst|Außerdem|Schließlich|Ansonsten|Statt|Anstatt|Vor|Nach|Natürlich)(?!\p{L})/iu;

function judgeGerman(at: Surroundings): Verdict | undefined {
  const { left, clauseLeft, right, words, sentence } = at;
  const verb = words.split(/\s+/u)[0] ?? '';
  if (germanStatements.test(verb) || /\?["”')]*\s*$/u.test(sentence)) return undefined;
  const first = /^[\W\d]*(?:bitte\s+)?$/iu.test(left);
  const behindClause =
    /^\s*(?:(?:so|dann|und|bitte|aber|oder)\s+){0,2}$/iu.test(clauseLeft) &&
    (germanIntroduction.test(left) || /[;:–—]\s*(?:\p{Ll}+\s+){0,2}$/u.test(left));
  const behindPhrase = clauseLeft === left && germanIntroduction.test(left) && left.split(/\s+/u).length <= 6;
  if (!first && !behindClause && !behindPhrase && !/(?:^|[\s(])(?:und|bitte|oder|aber)\s+$/iu.test(left))
    return undefined;
  const clause = right.split(/[.;:!?]|,\s*(?:dass|daß|wenn|weil|um|der|die|das|damit|außer)(?!\p{L})/u, 1)[0] ?? '';
  if (germanForbids.test(clause)) return { modality: 'prohibition', confidence: first ? FORBIDS : INSTRUCTION };
  return { modality: 'obligation', confidence: first && germanAssurance.test(verb) ? 0.58 : INSTRUCTION };
}

export const germanImperatives: readonly Rule[] = [
  { pattern: /(?<![\p{L}-])(?:\p{L}{2,30}e[lr]?n|[Ss]eien|[Tt]un)\s+Sie(?!\p{L})/gu, judge: judgeGerman },
];
