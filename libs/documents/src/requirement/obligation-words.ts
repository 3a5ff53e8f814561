/**
 * Words that may express an obligation, far more than the rules accept. No sentence with one of them is lost: it is a candidate, a doubtful
 * candidate, or listed with the reason why it is not a candidate.
 */
const english =
  "\\b(?:must(?:n['’]t)?|shall|should(?:n['’]t)?|ought|may\\s+(?:not|only)|only\\s+[\\p{L}\\s]{1,40}\\bmay|no\\s+[\\p{L}\\s]{1,40}\\bmay|requires?|required|requirements?|needs?\\s+(?:to|not)|needed|(?:has|have)\\s+to|(?:is|are)\\s+(?:not\\s+)?to\\s+\\p{L}+|mandatory|compulsory|obligatory|obligations?|obliged|obligated|prohibit(?:ed|s)|forbidden|disallowed|banned|not\\s+(?:be\\s+)?(?:allowed|permitted|acceptable)|recommend(?:ed|s)?|advised|advisable|encouraged|discouraged|do\\s+not|don['’]t|never|always|ensures?|make\\s+sure|necessary|essential|imperative|responsible\\s+for|supposed\\s+to|expected\\s+to|please|undertakes?|cannot|can\\s+not|can\\s+only|need|important|crucial|vital|remember|best|prefer(?:red|s)?|suggest(?:ed|s)?|avoid|appropriate|prepared\\s+to|careful|care|unsafe|safer|desirable|preferable|ideally|consider|responsibility|reasonable|(?:good|bad)\\s+(?:idea|practi[cs]e)|better|had\\s+better|encourage|advise)\\b";
const german =
  '(?<![\\p{L}-])(?:muss|müssen|musst|müsst|müsse|müssten?|muß|müßten?|darf|darfst|dürfen|dürfte?n?|soll|sollen|sollten?|sollst|verpflichtet|Pflicht|verpflichtend|erforderlich|notwendig|nötig|zwingend|obligatorisch|vorgeschrieben|verboten|untersagt|unzulässig|nicht\\s+(?:zulässig|gestattet|erlaubt)|empfohlen|empfiehlt|empfehlenswert|ratsam|bitte|niemals|stets|sicherzustellen|sicherstellen|obliegt|bedarf|verantwortlich\\s+für|zuständig\\s+für|empfehlen?|wichtig|vermeiden|idealerweise|erforder[nt]|benötig(?:en|t)|sinnvoll|besser|sicherer|nicht\\s+sicher|tun\\s+Sie|\\p{L}+e[lr]?n\\s+Sie|(?:ist|sind|hat|haben)(?:\\s+[^\\s.;:!?]+){0,12}?\\s+(?:zu\\s+\\p{Ll}+n|\\p{Ll}{2,}zu\\p{Ll}{2,}n))(?![\\p{L}-])';

const obligationWords = new RegExp(`${english}|${german}`, 'iu');

/** Finds the first words of obligation in a text. */
export function findObligationWords(text: string): { from: number; to: number; words: string } | undefined {
  const found = obligationWords.exec(text);
  if (!found) return undefined;
  return { from: found.index, to: found.index + found[0].length, words: found[0].replace(/\s+/g, ' ') };
}
