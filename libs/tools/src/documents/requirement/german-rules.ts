import { germanImperatives } from './imperative-rules.js';
import type { Modality } from './modality.js';
import { leftOut, type LeftOut, type Rule, type Surroundings, type Verdict } from './rule.js';

/**
 * Obligations in German. The verb of a German main clause stands second and that of a subordinate clause last, so most
 * rules look at the whole clause: for a negation behind `darf`, for the infinitive behind `ist … zu`.
 */

const L = '\\p{L}';
// A hyphen joins: `V-soll` is a noun.
const edge = `(?<![${L}-])`;
const end = `(?![${L}-])`;
const word = (alternatives: string, flags = 'gu'): RegExp => new RegExp(`${edge}(?:${alternatives})${end}`, flags);

const conditional =
  /^[\W\d]*(?:und\s+|oder\s+|auch\s+|nur\s+)?(?:[Ww]enn|[Ff]alls|[Ss]ofern|[Ss]oweit|[Oo]b|[Ww]eil|[Dd]a|[Oo]bwohl|[Bb]evor|[Nn]achdem|[Ss]obald|[Ss]olange|[Ww]ährend|[Ii]nsoweit|[Ii]nsofern)\s/u;
const relative =
  /^[\W\d]*(?:(?:in|an|auf|mit|bei|zu|aus|von|für|über|nach|durch)\s+)?(?:der|die|das|dem|den|deren|dessen|denen|welche[rsnm]?)\s/u;
const indirect =
  /^[\W\d]*(?:(?:in|an|auf|mit|bei|zu|aus|von|für|über|nach|durch)\s+)?(?:wie|was|warum|weshalb|wer|wem|wen|wo|wann|womit|wodurch|welche[rsnm]?)\s/u;
const aboutText =
  /^[\W\d]*(?:(?:Dieses?r?|Das vorliegende|Der vorliegende|Die vorliegende|Der folgende|Das folgende|Die folgende)\s+(?:Dokument|Abschnitt|Anhang|Kapitel|Papier|Leitfaden|Bericht|Beispiel|Text|Übersicht|Entwurf)|(?:Der|Die|Das)\s+(?:Dokument|Abschnitt|Anhang|Kapitel|Papier|Leitfaden|Bericht|Beispiel|Text|Übersicht|Entwurf|Abbildung|Tabelle)\s+\S+\s.*(?:Überblick|erläutern|beschreiben|zeigen|veranschaulichen|verdeutlichen|dienen|helfen|geben))/u;
/** The sentence speaks of another time. Inside of a sentence such words belong to a noun: "der früher erteilte Ausweis". */
const past =
  /^[\W\d]*(?:[Ff]rüher|[Ee]hemals|[Bb]isher|[Bb]islang|[Dd]amals|[Ss]einerzeit|[Ii]n (?:einer )?früheren? (?:Fassung|Version))(?!\p{L})/u;

/** Whether the verb ends its clause, as it does in subordinate clauses only. */
const endsClause = (at: Surroundings): boolean => /^\s*(?:[,;.:!?)]|$|(?:und|oder)\s)/u.test(at.right);

/** "Muss der Betreiber …, so hat er …": a sentence that begins with its verb and goes on behind a comma is a condition. */
const verbFirst =
  /,\s*(?:so\s+|dann\s+)?(?!den|dem|deren|damit|mit|seit|nicht|statt|sondern|welchen|wenn|wobei)\p{Ll}+(?:t|en|ss|rf|ll|nn|ird|ind)(?!\p{L})/u;

const IN_CONDITION = 'the words stand in a condition';
const IN_QUESTION = 'the words stand in an indirect question';

function inClause(at: Surroundings, verdict: Verdict): Verdict | LeftOut | undefined {
  const { clauseLeft, sentence } = at;
  if (past.test(sentence)) return { ...verdict, confidence: Math.min(verdict.confidence, 0.42) };
  const first = /^[\s"„(\d.)]*$/u.test(at.left);
  if (first && /^\p{Lu}/u.test(at.words) && verbFirst.test(at.words + at.right)) return leftOut(IN_CONDITION);
  if (endsClause(at) && /^[\W\d]*(?:Wer|Was|Wie|Welche[rsnm]?|Ob|Wann|Wo|Warum)\s/u.test(clauseLeft))
    return leftOut(IN_QUESTION);
  if (conditional.test(clauseLeft) && (endsClause(at) || /^[\W\d]*(?:[Oo]b)\s/u.test(clauseLeft)))
    return leftOut(IN_CONDITION);
  if (endsClause(at) && indirect.test(clauseLeft) && (at.left !== clauseLeft || /^\s*\p{Ll}/u.test(at.left)))
    return leftOut(IN_QUESTION);
  if (endsClause(at) && relative.test(clauseLeft) && at.left !== clauseLeft)
    return { ...verdict, confidence: Math.min(verdict.confidence, 0.45) };
  return verdict;
}

/** The text between a finite verb and the end of its clause; commas that only set off an insertion are passed over. */
function clauseAfter(at: Surroundings): string {
  const stop = at.right.search(
    /[;:!?]|\.(?:\s|$)|,\s*(?:dass|daß|wenn|weil|sofern|soweit|falls|sondern|um|ohne|es sei denn|damit|wobei|sodass|die|der|das|welche)(?!\p{L})/u,
  );
  return stop < 0 ? at.right : at.right.slice(0, stop);
}

const negation = word('nicht|kein(?:e[nmrs]?)?|niemals|nie|weder|keinesfalls|keineswegs|unter keinen Umständen', 'u');
const restriction = word('nur|ausschließlich|lediglich|höchstens|erst|frühestens|allein|maximal', 'u');

function judgeMuss(at: Surroundings): Verdict | LeftOut | undefined {
  const rest = clauseAfter(at);
  if (/^\s+(?:man\s+)?(?:\S+\s+){0,2}(?:sagen|zugeben|gestehen|einräumen|bedenken)(?!\p{L})/u.test(rest))
    return undefined;
  if (
    /\b(?:gewesen sein|geworden sein)\s*$/u.test(rest) ||
    /als\s[^,]*(?:verstanden|gelesen|angesehen|betrachtet)\s+werden/u.test(rest)
  )
    return undefined;
  // "muss nicht …" takes the duty away; further back, "nicht" belongs to a word of its own.
  const spared =
    /^\s+(?:\S+\s+){0,3}(?:nicht|kein(?:e[nmrs]?)?)(?!\p{L})(?!\s+(?:nur|autorisiert|öffentlich|mehr als|weniger))/u.test(
      rest,
    ) && !/^\s+so\s/u.test(rest);
  if (spared) return inClause(at, { modality: 'optional', confidence: 0.4 });
  return inClause(at, { modality: 'obligation', confidence: 0.9 });
}

function judgeDarf(at: Surroundings): Verdict | LeftOut | undefined {
  const rest = endsClause(at) ? at.clauseLeft : clauseAfter(at);
  if (/(?<!\p{L})nicht\s+nur(?!\p{L})/u.test(rest)) return inClause(at, { modality: 'permission', confidence: 0.4 });
  if (negation.test(rest) || /^[\W\d]*(?:Kein|Niemand|Weder)/u.test(at.clauseLeft))
    return inClause(at, { modality: 'prohibition', confidence: 0.9 });
  if (restriction.test(rest) || /^[\W\d]*(?:Nur|Ausschließlich|Lediglich)(?!\p{L})/u.test(at.clauseLeft))
    return inClause(at, { modality: 'obligation', confidence: 0.8 });
  return inClause(at, { modality: 'permission', confidence: 0.4 });
}

/** A clause or phrase that leaves the main clause to what follows its comma. */
const opensWithClause =
  /^[\W\d]*(?:und\s+|aber\s+|auch\s+)?(?:Wenn|Falls|Sofern|Soweit|Sobald|Solange|Bevor|Nachdem|Um|Da|Weil|Obwohl|Während|Damit|Bei|Im|In|Am|An|Auf|Für|Mit|Ohne|Zum|Zur|Unter|Vor|Nach|Wer|Was|Wo|Wie|Statt|Anstatt|Außer)(?!\p{L})/iu;

function judgeSoll(at: Surroundings): Verdict | LeftOut | undefined {
  const { left, clauseLeft, words } = at;
  // "Sollte ein Fehler auftreten, …" is a condition.
  if (/^[\s"„(]*$/u.test(left) && /^Sollten?$/u.test(words)) return undefined;
  if (aboutText.test(at.sentence) || /^[\W\d]*(?:Ziel|Zweck|Damit|Dadurch|Hierdurch|Hiermit|Es)(?!\p{L})/u.test(left)) {
    if (!/^[\W\d]*Es\s*$/u.test(left) || /(?:hingewiesen|erwähnt|betont|angemerkt)/u.test(at.right)) return undefined;
  }
  // "Rufen Sie an, sollte eine Akte fehlen." or "Alle, auch Gäste, sollten klopfen.": a condition behind its main clause or
  // a main clause behind an insertion. Behind "Falls …" the main clause begins.
  const isUnclear = /^\s*$/u.test(clauseLeft) && /^sollten?$/u.test(words) && !opensWithClause.test(left);
  const rest = endsClause(at) ? clauseLeft : clauseAfter(at);
  if (/(?:hingewiesen|erwähnt|betont|angemerkt)\s+(?:werden|sein)/u.test(rest)) return undefined;
  if (
    /(?:Hinweise|Überblick|Hilfestellung|Orientierung|Anregungen)(?!\p{L}).*(?:geben|bieten|vermitteln|verschaffen)(?!\p{L})/u.test(
      rest,
    )
  )
    return undefined;
  return inClause(at, {
    modality: negation.test(rest) && !/nicht\s+nur/u.test(rest) ? 'discouraged' : 'recommendation',
    confidence: isUnclear ? 0.42 : 0.88,
  });
}

/** `zu löschen`, `aufzubewahren`, also in pairs: "zu prüfen und zu dokumentieren". */
const infinitive = `(?:zu\\s+(?:\\p{Ll}+(?:en|ern|eln|n))|\\p{Ll}{2,}zu\\p{Ll}{2,}(?:en|ern|eln|n))`;
const idleInfinitive =
  /(?:zu\s+)(?:erwarten|sehen|finden|erkennen|befürchten|hoffen|vermuten|entnehmen|rechnen|verstehen|wissen|sagen|bezweifeln|vernachlässigen|tun|unterscheiden|vergleichen|verdanken|sein|haben|werden|können)(?!\p{L})|(?<!\p{L})(?:anzunehmen|nachzulesen|anzusehen|zurückzuführen|vorherzusehen)(?!\p{L})|(?<!\p{L})(?:davon\s+auszugehen|nicht\s+(?:\S+\s+)?(?:auszuschließen|abzusehen))(?!\p{L})/u;
const hardOrEasy = word(
  'wichtig|schwer|leicht|einfach|kaum|gut|besser|schwierig|möglich|unmöglich|in der Lage|bereit|geeignet|fähig|berechtigt|befugt|ermächtigt|gewillt|notwendig|sinnvoll|Ziel|Zweck|Aufgabe|Absicht|dazu da',
  'u',
);

/** `ist`, `sind` or `hat`, `haben` with an infinitive at the end of the clause. */
function judgeZu(verb: 'sein' | 'haben'): Rule['judge'] {
  return (at) => {
    const rest = at.words;
    if (idleInfinitive.test(rest)) return undefined;
    if (verb === 'sein' && (hardOrEasy.test(rest) || /^\S+\s+(?:es|das)(?!\p{L})/u.test(rest))) return undefined;
    if (
      verb === 'haben' &&
      word(
        'Möglichkeit|Recht|Gelegenheit|Zeit|Lust|Absicht|Ziel|Befugnis|Anspruch|Chance|nichts|wenig|viel|etwas|Grund|Vorteil',
        'u',
      ).test(rest)
    )
      return undefined;
    // A negation inside an insertion ("…, die nicht mehr benötigt werden, …") is not one of the clause.
    const main = rest.replace(/,[^,]*,/g, ' ');
    const denied = new RegExp(
      `(?<!\\p{L})(?:nicht|kein(?:e[nmrs]?)?|niemals)(?!\\p{L})(?!\\s+nur)(?:\\s+\\S+){0,4}?\\s+${infinitive}`,
      'u',
    ).test(main);
    return inClause(
      { ...at, right: ` ${at.right}` },
      { modality: denied ? 'prohibition' : 'obligation', confidence: denied ? 0.7 : verb === 'haben' ? 0.84 : 0.8 },
    );
  };
}

const denies = (text: string): boolean => /(?<!\p{L})(?:nicht|kein(?:e[nmrs]?)?|nie)(?!\p{L})(?!\s+nur)/u.test(text);

/** Adjectives and participles behind `ist` or `wird`: the verdict turns round when the clause is negated. */
function judgePredicate(modality: Modality, confidence: number, negated: Modality | undefined): Rule['judge'] {
  return (at) => {
    // "Dies ist erforderlich, weil …" gives a reason.
    if (
      /^[\W\d]*(?:Dies|Das|Die Regel|Diese Regel)(?!\p{L})/u.test(at.left) &&
      /^\s*,\s*(?:weil|damit|da|um)(?!\p{L})/u.test(at.right)
    )
      return undefined;
    if (denies(at.words))
      return negated
        ? inClause(at, { modality: negated, confidence: negated === 'optional' ? 0.4 : confidence })
        : undefined;
    return inClause(at, { modality, confidence });
  };
}

/** Up to this many characters between verb and infinitive or predicate; German clauses are long. */
const SPAN = '[^.;:!?]{0,220}?';
const SHORT_SPAN = '[^.;:!?,]{0,160}?';
/** What may stand between commas inside of the span: an insertion, or an enumeration that ends with "und". */
const INSERTION = `(?:,[^,.;:!?]{3,120},${SHORT_SPAN}|(?:,\\s+[^,.;:!?]{2,60}){0,5}\\s(?:und|oder|sowie)\\s${SHORT_SPAN})?`;
const clauseEnd = '(?=\\s*(?:[.;:!?)]|,|$|\\s(?:und|oder|sowie|bzw)(?!\\p{L})|\\s\\())';

export const germanRules: readonly Rule[] = [
  { pattern: word('[Mm]uss|[Mm]üssen|müsse|[Mm]uß|[Mm]üßen'), judge: judgeMuss },
  { pattern: word('[Dd]arf|[Dd]ürfen|dürfe'), judge: judgeDarf },
  { pattern: word('[Ss]ollten?|[Ss]ollen|[Ss]oll'), judge: judgeSoll },
  {
    pattern: new RegExp(
      `${edge}(?:[Ii]st|[Ss]ind)${end}${SHORT_SPAN}${INSERTION}(?<=\\s)${infinitive}(?:\\s+(?:und|oder|sowie)\\s+(?:\\S+\\s+){0,6}?${infinitive})*${clauseEnd}`,
      'gu',
    ),
    judge: judgeZu('sein'),
  },
  {
    pattern: new RegExp(
      `${edge}(?:[Hh]at|[Hh]aben)${end}${SHORT_SPAN}${INSERTION}(?<=\\s)${infinitive}(?:\\s+(?:und|oder|sowie)\\s+(?:\\S+\\s+){0,6}?${infinitive})*${clauseEnd}`,
      'gu',
    ),
    judge: judgeZu('haben'),
  },
  {
    pattern: new RegExp(
      `${edge}(?:zu\\s+\\p{Ll}+(?:en|ern|eln|n)|\\p{Ll}{2,}zu\\p{Ll}{2,}(?:en|n))\\s+(?:ist|sind|hat|haben)${end}`,
      'gu',
    ),
    judge: (at) =>
      idleInfinitive.test(at.words) || hardOrEasy.test(at.clauseLeft)
        ? undefined
        : inClause(at, { modality: denies(at.clauseLeft) ? 'prohibition' : 'obligation', confidence: 0.45 }),
  },
  {
    pattern: new RegExp(
      `${edge}(?:ist|sind|wird|werden|bleibt|bleiben)${end}${SPAN}${edge}verpflichtet${end}(?!\\s+(?:war|waren|worden)${end})|${edge}verpflichtet\\s+(?:sich|ist|sind)${end}|${edge}verpflichten\\s+sich${end}`,
      'gu',
    ),
    judge: judgePredicate('obligation', 0.85, 'optional'),
  },
  { pattern: word('obliegt|obliegen'), judge: (at) => inClause(at, { modality: 'obligation', confidence: 0.66 }) },
  {
    pattern: new RegExp(
      `${edge}(?:[Ii]st|[Ss]ind)${end}${SHORT_SPAN}${edge}(?:unzulässig|verboten|untersagt|unstatthaft|nicht\\s+(?:\\p{Ll}+\\s+)?(?:zulässig|gestattet|erlaubt|statthaft))${end}`,
      'gu',
    ),
    judge: (at) => inClause(at, { modality: 'prohibition', confidence: 0.82 }),
  },
  {
    pattern: new RegExp(
      `${edge}(?:[Ii]st|[Ss]ind)${end}${SHORT_SPAN}${edge}(?:erforderlich|notwendig|vorgeschrieben|obligatorisch|zwingend|Pflicht|unerlässlich|unabdingbar|verpflichtend)${end}`,
      'gu',
    ),
    judge: judgePredicate('obligation', 0.68, 'optional'),
  },
  {
    pattern: new RegExp(
      `${edge}(?:bedarf|bedürfen)\\s+(?:stets\\s+|immer\\s+|insbesondere\\s+)?(?:der|des|einer|eines|keiner|keines)${end}`,
      'gu',
    ),
    judge: (at) =>
      /kein/u.test(at.words)
        ? inClause(at, { modality: 'optional', confidence: 0.4 })
        : inClause(at, { modality: 'obligation', confidence: 0.66 }),
  },
  {
    pattern: new RegExp(
      `${edge}(?:[Ww]ird|[Ww]erden|[Ii]st|[Ss]ind)${end}${SHORT_SPAN}${edge}(?:empfohlen|empfehlenswert|ratsam|angeraten)${end}|${edge}(?:[Ee]s\\s+)?empfiehlt\\s+(?:es\\s+)?sich${end}`,
      'gu',
    ),
    judge: judgePredicate('recommendation', 0.85, 'discouraged'),
  },
  {
    pattern: new RegExp(
      `${edge}(?:[Ii]st|[Ss]ind)${end}${SHORT_SPAN}${edge}(?:nur|ausschließlich|lediglich)${end}${SHORT_SPAN}${edge}(?:zulässig|gestattet|erlaubt|statthaft)${end}`,
      'gu',
    ),
    judge: (at) => inClause(at, { modality: 'obligation', confidence: 0.7 }),
  },
  {
    pattern: new RegExp(
      `${edge}(?:[Ii]st|[Ss]ind)${end}${SHORT_SPAN}${edge}(?:zulässig|gestattet|erlaubt|berechtigt|befugt)${end}`,
      'gu',
    ),
    judge: judgePredicate('permission', 0.4, 'prohibition'),
  },
  {
    pattern: word('(?:[Ii]ch|[Ww]ir)\\s+empfehlen?|[Ee]mpfehlen\\s+wir|[Ee]mpfehle\\s+ich'),
    judge: () => ({ modality: 'recommendation', confidence: 0.6 }),
  },
  // Instructions stand before "bitte" and the like: what they forbid is clear.
  ...germanImperatives,
  // Duties in other words: kept for the review, because the same words also describe.
  {
    pattern: word(
      '[Ee]rfordert|[Ee]rfordern|[Bb]enötigt|[Bb]enötigen|[Ii]dealerweise|[Aa]m besten|(?:besser|sicherer|sinnvoll|ratsam|angebracht|wünschenswert)(?=,|\\s+(?:für|zu|wenn|es))|nicht sicher|gute Idee|wichtig|müssten?|musst|müsst|müßten?|dürften?|solltest|nötig|zwingend|unbedingt|[Nn]iemals|[Bb]itte|zuständig für|verantwortlich für|sicherzustellen|sicherstellen|vorgeschrieben|verboten|untersagt|unzulässig',
    ),
    judge: (at) => inClause(at, { modality: 'obligation', confidence: 0.42 }),
  },
  { pattern: word('[Kk]ann|[Kk]önnen'), judge: (at) => inClause(at, { modality: 'permission', confidence: 0.3 }) },
];
