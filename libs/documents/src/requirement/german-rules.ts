import { germanImperatives } from './imperative-rules.js';
import type { Modality } from '@phaseline/contracts';
import { createOmissionReason, type OmissionReason, type Rule, type Surroundings, type Assessment } from './rule.js';

/*
 * Obligations in German. The verb is second in a main clause and last in a subordinate clause, so most rules examine the whole
 * clause: for a negation after `darf`, for the infinitive after `ist … zu`.
 */

const LETTER = '\\p{L}';
// A hyphen is part of the word: `V-soll` is a noun.
const wordStart = `(?<![${LETTER}-])`;
const wordEnd = `(?![${LETTER}-])`;
const matchWord = (alternatives: string, flags = 'gu'): RegExp =>
  new RegExp(`${wordStart}(?:${alternatives})${wordEnd}`, flags);

const conditional =
  /^[\W\d]*(?:und\s+|oder\s+|auch\s+|nur\s+)?(?:[Ww]enn|[Ff]alls|[Ss]ofern|[Ss]oweit|[Oo]b|[Ww]eil|[Dd]a|[Oo]bwohl|[Bb]evor|[Nn]achdem|[Ss]obald|[Ss]olange|[Ww]ährend|[Ii]nsoweit|[Ii]nsofern)\s/u;
const relative =
  /^[\W\d]*(?:(?:in|an|auf|mit|bei|zu|aus|von|für|über|nach|durch)\s+)?(?:der|die|das|dem|den|deren|dessen|denen|welche[rsnm]?)\s/u;
const indirect =
  /^[\W\d]*(?:(?:in|an|auf|mit|bei|zu|aus|von|für|über|nach|durch)\s+)?(?:wie|was|warum|weshalb|wer|wem|wen|wo|wann|womit|wodurch|welche[rsnm]?)\s/u;
const aboutText =
  /^[\W\d]*(?:(?:Dieses?r?|Das vorliegende|Der vorliegende|Die vorliegende|Der folgende|Das folgende|Die folgende)\s+(?:Dokument|Abschnitt|Anhang|Kapitel|Papier|Leitfaden|Bericht|Beispiel|Text|Übersicht|Entwurf)|(?:Der|Die|Das)\s+(?:Dokument|Abschnitt|Anhang|Kapitel|Papier|Leitfaden|Bericht|Beispiel|Text|Übersicht|Entwurf|Abbildung|Tabelle)\s+\S+\s.*(?:Überblick|erläutern|beschreiben|zeigen|veranschaulichen|verdeutlichen|dienen|helfen|geben))/u;
/** A reference to the past at the start of a sentence. Elsewhere such words belong to a noun: "der früher erteilte Ausweis". */
const past =
  /^[\W\d]*(?:[Ff]rüher|[Ee]hemals|[Bb]isher|[Bb]islang|[Dd]amals|[Ss]einerzeit|[Ii]n (?:einer )?früheren? (?:Fassung|Version))(?!\p{L})/u;

/** Whether the verb ends its clause, which it does only in subordinate clauses. */
const endsClause = (at: Surroundings): boolean => /^\s*(?:[,;.:!?)]|$|(?:und|oder)\s)/u.test(at.right);

/** A sentence that starts with its verb and continues after a comma is a condition: "Muss der Betreiber …, so hat er …". */
const verbFirst =
  /,\s*(?:so\s+|dann\s+)?(?!den|dem|deren|damit|mit|seit|nicht|statt|sondern|welchen|wenn|wobei)\p{Ll}+(?:t|en|ss|rf|ll|nn|ird|ind)(?!\p{L})/u;

const IN_CONDITION = 'the words are part of a condition';
const IN_QUESTION = 'the words are part of an indirect question';

function adjustByClause(at: Surroundings, assessment: Assessment): Assessment | OmissionReason | undefined {
  const { clauseLeft, sentence } = at;
  if (past.test(sentence)) return { ...assessment, confidence: Math.min(assessment.confidence, 0.42) };
  const isFirst = /^[\s"„(\d.)]*$/u.test(at.left);
  if (isFirst && /^\p{Lu}/u.test(at.words) && verbFirst.test(at.words + at.right))
    return createOmissionReason(IN_CONDITION);
  if (endsClause(at) && /^[\W\d]*(?:Wer|Was|Wie|Welche[rsnm]?|Ob|Wann|Wo|Warum)\s/u.test(clauseLeft))
    return createOmissionReason(IN_QUESTION);
  if (conditional.test(clauseLeft) && (endsClause(at) || /^[\W\d]*(?:[Oo]b)\s/u.test(clauseLeft)))
    return createOmissionReason(IN_CONDITION);
  if (endsClause(at) && indirect.test(clauseLeft) && (at.left !== clauseLeft || /^\s*\p{Ll}/u.test(at.left)))
    return createOmissionReason(IN_QUESTION);
  if (endsClause(at) && relative.test(clauseLeft) && at.left !== clauseLeft)
    return { ...assessment, confidence: Math.min(assessment.confidence, 0.45) };
  return assessment;
}

/** Returns the text between a finite verb and the end of its clause. Ignores commas that only set off an insertion. */
function sliceClause(at: Surroundings): string {
  const stop = at.right.search(
    /[;:!?]|\.(?:\s|$)|,\s*(?:dass|daß|wenn|weil|sofern|soweit|falls|sondern|um|ohne|es sei denn|damit|wobei|sodass|die|der|das|welche)(?!\p{L})/u,
  );
  return stop < 0 ? at.right : at.right.slice(0, stop);
}

const negation = matchWord(
  'nicht|kein(?:e[nmrs]?)?|niemals|nie|weder|keinesfalls|keineswegs|unter keinen Umständen',
  'u',
);
const restriction = matchWord('nur|ausschließlich|lediglich|höchstens|erst|frühestens|allein|maximal', 'u');

function judgeMuss(at: Surroundings): Assessment | OmissionReason | undefined {
  const rest = sliceClause(at);
  if (/^\s+(?:man\s+)?(?:\S+\s+){0,2}(?:sagen|zugeben|gestehen|einräumen|bedenken)(?!\p{L})/u.test(rest))
    return undefined;
  if (
    /\b(?:gewesen sein|geworden sein)\s*$/u.test(rest) ||
    /als\s[^,]*(?:verstanden|gelesen|angesehen|betrachtet)\s+werden/u.test(rest)
  )
    return undefined;
  // "muss nicht …" removes the obligation; a later "nicht" belongs to another word.
  const isExempt =
    /^\s+(?:\S+\s+){0,3}(?:nicht|kein(?:e[nmrs]?)?)(?!\p{L})(?!\s+(?:nur|autorisiert|öffentlich|mehr als|weniger))/u.test(
      rest,
    ) && !/^\s+so\s/u.test(rest);
  if (isExempt) return adjustByClause(at, { modality: 'optional', confidence: 0.4 });
  return adjustByClause(at, { modality: 'obligation', confidence: 0.9 });
}

function judgeDarf(at: Surroundings): Assessment | OmissionReason | undefined {
  const rest = endsClause(at) ? at.clauseLeft : sliceClause(at);
  if (/(?<!\p{L})nicht\s+nur(?!\p{L})/u.test(rest))
    return adjustByClause(at, { modality: 'permission', confidence: 0.4 });
  if (negation.test(rest) || /^[\W\d]*(?:Kein|Niemand|Weder)/u.test(at.clauseLeft))
    return adjustByClause(at, { modality: 'prohibition', confidence: 0.9 });
  if (restriction.test(rest) || /^[\W\d]*(?:Nur|Ausschließlich|Lediglich)(?!\p{L})/u.test(at.clauseLeft))
    return adjustByClause(at, { modality: 'obligation', confidence: 0.8 });
  return adjustByClause(at, { modality: 'permission', confidence: 0.4 });
}

/** An introductory clause or phrase; the main clause follows its comma. */
const opensWithClause =
  /^[\W\d]*(?:und\s+|aber\s+|auch\s+)?(?:Wenn|Falls|Sofern|Soweit|Sobald|Solange|Bevor|Nachdem|Um|Da|Weil|Obwohl|Während|Damit|Bei|Im|In|Am|An|Auf|Für|Mit|Ohne|Zum|Zur|Unter|Vor|Nach|Wer|Was|Wo|Wie|Statt|Anstatt|Außer)(?!\p{L})/iu;

function judgeSoll(at: Surroundings): Assessment | OmissionReason | undefined {
  const { left, clauseLeft, words } = at;
  // "Sollte ein Fehler auftreten, …" is a condition.
  if (/^[\s"„(]*$/u.test(left) && /^Sollten?$/u.test(words)) return undefined;
  if (aboutText.test(at.sentence) || /^[\W\d]*(?:Ziel|Zweck|Damit|Dadurch|Hierdurch|Hiermit|Es)(?!\p{L})/u.test(left)) {
    if (!/^[\W\d]*Es\s*$/u.test(left) || /(?:hingewiesen|erwähnt|betont|angemerkt)/u.test(at.right)) return undefined;
  }
  // "Rufen Sie an, sollte eine Akte fehlen." (a condition after its main clause) looks like "Alle, auch Gäste, sollten klopfen." (a
  // main clause after an insertion). After "Falls …" it is always the main clause.
  const isUnclear = /^\s*$/u.test(clauseLeft) && /^sollten?$/u.test(words) && !opensWithClause.test(left);
  const rest = endsClause(at) ? clauseLeft : sliceClause(at);
  if (/(?:hingewiesen|erwähnt|betont|angemerkt)\s+(?:werden|sein)/u.test(rest)) return undefined;
  if (
    /(?:Hinweise|Überblick|Hilfestellung|Orientierung|Anregungen)(?!\p{L}).*(?:geben|bieten|vermitteln|verschaffen)(?!\p{L})/u.test(
      rest,
    )
  )
    return undefined;
  return adjustByClause(at, {
    modality: negation.test(rest) && !/nicht\s+nur/u.test(rest) ? 'discouraged' : 'recommendation',
    confidence: isUnclear ? 0.42 : 0.88,
  });
}

/** An infinitive with "zu": `zu löschen`, `aufzubewahren`. */
const infinitive = `(?:zu\\s+(?:\\p{Ll}+(?:en|ern|eln|n))|\\p{Ll}{2,}zu\\p{Ll}{2,}(?:en|ern|eln|n))`;
const idleInfinitive =
  /(?:zu\s+)(?:erwarten|sehen|finden|erkennen|befürchten|hoffen|vermuten|entnehmen|rechnen|verstehen|wissen|sagen|bezweifeln|vernachlässigen|tun|unterscheiden|vergleichen|verdanken|sein|haben|werden|können)(?!\p{L})|(?<!\p{L})(?:anzunehmen|nachzulesen|anzusehen|zurückzuführen|vorherzusehen)(?!\p{L})|(?<!\p{L})(?:davon\s+auszugehen|nicht\s+(?:\S+\s+)?(?:auszuschließen|abzusehen))(?!\p{L})/u;
const hardOrEasy = matchWord(
  'wichtig|schwer|leicht|einfach|kaum|gut|besser|schwierig|möglich|unmöglich|in der Lage|bereit|geeignet|fähig|berechtigt|befugt|ermächtigt|gewillt|notwendig|sinnvoll|Ziel|Zweck|Aufgabe|Absicht|dazu da',
  'u',
);

/** Creates the judge for `ist`, `sind` or `hat`, `haben` with an infinitive at the end of the clause. */
function createInfinitiveJudge(verb: 'sein' | 'haben'): Rule['judge'] {
  return (at) => {
    const rest = at.words;
    if (idleInfinitive.test(rest)) return undefined;
    if (verb === 'sein' && (hardOrEasy.test(rest) || /^\S+\s+(?:es|das)(?!\p{L})/u.test(rest))) return undefined;
    if (
      verb === 'haben' &&
      matchWord(
        'Möglichkeit|Recht|Gelegenheit|Zeit|Lust|Absicht|Ziel|Befugnis|Anspruch|Chance|nichts|wenig|viel|etwas|Grund|Vorteil',
        'u',
      ).test(rest)
    )
      return undefined;
    // A negation within an insertion ("…, die nicht mehr benötigt werden, …") does not negate the clause.
    const main = rest.replace(/,[^,]*,/g, ' ');
    const isNegated = new RegExp(
      `(?<!\\p{L})(?:nicht|kein(?:e[nmrs]?)?|niemals)(?!\\p{L})(?!\\s+nur)(?:\\s+\\S+){0,4}?\\s+${infinitive}`,
      'u',
    ).test(main);
    return adjustByClause(
      { ...at, right: ` ${at.right}` },
      {
        modality: isNegated ? 'prohibition' : 'obligation',
        confidence: isNegated ? 0.7 : verb === 'haben' ? 0.84 : 0.8,
      },
    );
  };
}

const isNegatedText = (text: string): boolean =>
  /(?<!\p{L})(?:nicht|kein(?:e[nmrs]?)?|nie)(?!\p{L})(?!\s+nur)/u.test(text);

/** Creates the judge for adjectives and participles after `ist` or `wird`. A negated clause has the modality `negated`. */
function createPredicateJudge(modality: Modality, confidence: number, negated: Modality | undefined): Rule['judge'] {
  return (at) => {
    // "Dies ist erforderlich, weil …" gives a reason.
    if (
      /^[\W\d]*(?:Dies|Das|Die Regel|Diese Regel)(?!\p{L})/u.test(at.left) &&
      /^\s*,\s*(?:weil|damit|da|um)(?!\p{L})/u.test(at.right)
    )
      return undefined;
    if (isNegatedText(at.words))
      return negated
        ? adjustByClause(at, { modality: negated, confidence: negated === 'optional' ? 0.4 : confidence })
        : undefined;
    return adjustByClause(at, { modality, confidence });
  };
}

/** The text between verb and infinitive or predicate. Its length is generous, because German clauses are long. */
const SPAN = '[^.;:!?]{0,220}?';
const SHORT_SPAN = '[^.;:!?,]{0,160}?';
/** Text between commas within the span: an insertion, or an enumeration that ends with "und". */
const INSERTION = `(?:,[^,.;:!?]{3,120},${SHORT_SPAN}|(?:,\\s+[^,.;:!?]{2,60}){0,5}\\s(?:und|oder|sowie)\\s${SHORT_SPAN})?`;
const clauseEnd = '(?=\\s*(?:[.;:!?)]|,|$|\\s(?:und|oder|sowie|bzw)(?!\\p{L})|\\s\\())';

export const germanRules: readonly Rule[] = [
  { pattern: matchWord('[Mm]uss|[Mm]üssen|müsse|[Mm]uß|[Mm]üßen'), judge: judgeMuss },
  { pattern: matchWord('[Dd]arf|[Dd]ürfen|dürfe'), judge: judgeDarf },
  { pattern: matchWord('[Ss]ollten?|[Ss]ollen|[Ss]oll'), judge: judgeSoll },
  {
    pattern: new RegExp(
      `${wordStart}(?:[Ii]st|[Ss]ind)${wordEnd}${SHORT_SPAN}${INSERTION}(?<=\\s)${infinitive}(?:\\s+(?:und|oder|sowie)\\s+(?:\\S+\\s+){0,6}?${infinitive})*${clauseEnd}`,
      'gu',
    ),
    judge: createInfinitiveJudge('sein'),
  },
  {
    pattern: new RegExp(
      `${wordStart}(?:[Hh]at|[Hh]aben)${wordEnd}${SHORT_SPAN}${INSERTION}(?<=\\s)${infinitive}(?:\\s+(?:und|oder|sowie)\\s+(?:\\S+\\s+){0,6}?${infinitive})*${clauseEnd}`,
      'gu',
    ),
    judge: createInfinitiveJudge('haben'),
  },
  {
    pattern: new RegExp(
      `${wordStart}(?:zu\\s+\\p{Ll}+(?:en|ern|eln|n)|\\p{Ll}{2,}zu\\p{Ll}{2,}(?:en|n))\\s+(?:ist|sind|hat|haben)${wordEnd}`,
      'gu',
    ),
    judge: (at) =>
      idleInfinitive.test(at.words) || hardOrEasy.test(at.clauseLeft)
        ? undefined
        : adjustByClause(at, {
            modality: isNegatedText(at.clauseLeft) ? 'prohibition' : 'obligation',
            confidence: 0.45,
          }),
  },
  {
    pattern: new RegExp(
      `${wordStart}(?:ist|sind|wird|werden|bleibt|bleiben)${wordEnd}${SPAN}${wordStart}verpflichtet${wordEnd}(?!\\s+(?:war|waren|worden)${wordEnd})|${wordStart}verpflichtet\\s+(?:sich|ist|sind)${wordEnd}|${wordStart}verpflichten\\s+sich${wordEnd}`,
      'gu',
    ),
    judge: createPredicateJudge('obligation', 0.85, 'optional'),
  },
  {
    pattern: matchWord('obliegt|obliegen'),
    judge: (at) => adjustByClause(at, { modality: 'obligation', confidence: 0.66 }),
  },
  {
    pattern: new RegExp(
      `${wordStart}(?:[Ii]st|[Ss]ind)${wordEnd}${SHORT_SPAN}${wordStart}(?:unzulässig|verboten|untersagt|unstatthaft|nicht\\s+(?:\\p{Ll}+\\s+)?(?:zulässig|gestattet|erlaubt|statthaft))${wordEnd}`,
      'gu',
    ),
    judge: (at) => adjustByClause(at, { modality: 'prohibition', confidence: 0.82 }),
  },
  {
    pattern: new RegExp(
      `${wordStart}(?:[Ii]st|[Ss]ind)${wordEnd}${SHORT_SPAN}${wordStart}(?:erforderlich|notwendig|vorgeschrieben|obligatorisch|zwingend|Pflicht|unerlässlich|unabdingbar|verpflichtend)${wordEnd}`,
      'gu',
    ),
    judge: createPredicateJudge('obligation', 0.68, 'optional'),
  },
  {
    pattern: new RegExp(
      `${wordStart}(?:bedarf|bedürfen)\\s+(?:stets\\s+|immer\\s+|insbesondere\\s+)?(?:der|des|einer|eines|keiner|keines)${wordEnd}`,
      'gu',
    ),
    judge: (at) =>
      /kein/u.test(at.words)
        ? adjustByClause(at, { modality: 'optional', confidence: 0.4 })
        : adjustByClause(at, { modality: 'obligation', confidence: 0.66 }),
  },
  {
    pattern: new RegExp(
      `${wordStart}(?:[Ww]ird|[Ww]erden|[Ii]st|[Ss]ind)${wordEnd}${SHORT_SPAN}${wordStart}(?:empfohlen|empfehlenswert|ratsam|angeraten)${wordEnd}|${wordStart}(?:[Ee]s\\s+)?empfiehlt\\s+(?:es\\s+)?sich${wordEnd}`,
      'gu',
    ),
    judge: createPredicateJudge('recommendation', 0.85, 'discouraged'),
  },
  {
    pattern: new RegExp(
      `${wordStart}(?:[Ii]st|[Ss]ind)${wordEnd}${SHORT_SPAN}${wordStart}(?:nur|ausschließlich|lediglich)${wordEnd}${SHORT_SPAN}${wordStart}(?:zulässig|gestattet|erlaubt|statthaft)${wordEnd}`,
      'gu',
    ),
    judge: (at) => adjustByClause(at, { modality: 'obligation', confidence: 0.7 }),
  },
  {
    pattern: new RegExp(
      `${wordStart}(?:[Ii]st|[Ss]ind)${wordEnd}${SHORT_SPAN}${wordStart}(?:zulässig|gestattet|erlaubt|berechtigt|befugt)${wordEnd}`,
      'gu',
    ),
    judge: createPredicateJudge('permission', 0.4, 'prohibition'),
  },
  {
    pattern: matchWord('(?:[Ii]ch|[Ww]ir)\\s+empfehlen?|[Ee]mpfehlen\\s+wir|[Ee]mpfehle\\s+ich'),
    judge: () => ({ modality: 'recommendation', confidence: 0.6 }),
  },
  // Instructions come before "bitte" and similar words, because a prohibition in them is certain.
  ...germanImperatives,
  // Obligations in other words: doubtful, because the same words are also used in descriptions.
  {
    pattern: matchWord(
      '[Ee]rfordert|[Ee]rfordern|[Bb]enötigt|[Bb]enötigen|[Ii]dealerweise|[Aa]m besten|(?:besser|sicherer|sinnvoll|ratsam|angebracht|wünschenswert)(?=,|\\s+(?:für|zu|wenn|es))|nicht sicher|gute Idee|wichtig|müssten?|musst|müsst|müßten?|dürften?|solltest|nötig|zwingend|unbedingt|[Nn]iemals|[Bb]itte|zuständig für|verantwortlich für|sicherzustellen|sicherstellen|vorgeschrieben|verboten|untersagt|unzulässig',
    ),
    judge: (at) => adjustByClause(at, { modality: 'obligation', confidence: 0.42 }),
  },
  {
    pattern: matchWord('[Kk]ann|[Kk]önnen'),
    judge: (at) => adjustByClause(at, { modality: 'permission', confidence: 0.3 }),
  },
];
