/* Recognises headings and list items in documents without markup: plain text and PDF. */

const MAX_HEADING_CHARACTERS = 110;

const numberedHeading = /^(?:§+\s*)?(\d{1,3}(?:\.\d{1,3}){0,5})\.?\)?\s{1,12}(?=[\p{Lu}"„“«])/u;
const letteredHeading = /^([A-Z])(?:\.\d{1,3}){1,4}\.?\s{1,12}(?=\p{Lu})/u;
const labelledHeading =
  /^(?:(?:[Cc]hapter|[Ss]ection|[Pp]art|[Aa]nnex|[Aa]ppendix|[Aa]rticle|[Cc]lause|[Ss]chedule|Kapitel|Abschnitt|Teil|Anhang|Anlage|Artikel|Art\.|CHAPTER|SECTION|PART|ANNEX|APPENDIX|ARTICLE)\s+(?:\d{1,4}[a-z]?|[A-Z]|[IVXLC]{1,7})|§+\s*\d{1,4}[a-z]?)(?![\p{L}\p{N}])/u;
const standardHeading =
  /^(?:abstract|introduction|scope|terms and definitions|definitions|terminology|normative references|references|acknowledge?ments|foreword|preamble|conclusion|summary|table of contents|contents|einleitung|geltungsbereich|anwendungsbereich|begriffe|begriffsbestimmungen|vorwort|präambel|zusammenfassung|inhalt|inhaltsverzeichnis|literatur)$/iu;

/** Finite verbs. A line that contains one is a sentence, even if it is short and numbered. */
const finiteVerb =
  /\b(?:must|shall|should|may|can|is|are|was|will|has|have|needs?|muss|müssen|soll|sollen|sollten?|darf|dürfen|kann|können|ist|sind|wird|werden|hat|haben)\b/u;

/** Returns the level of a line that reads like a heading (1 is the highest), or undefined when it reads like text. */
export function detectHeadingLevel(line: string): number | undefined {
  if (line.length > MAX_HEADING_CHARACTERS || /[.;:,!?]$/.test(line.replace(/\.{3,}\s*\d+$/, ''))) return undefined;
  if (/\.{4,}|(?:\s\.){4,}/.test(line)) return undefined;
  if (labelledHeading.test(line)) return /^(?:§|art)/i.test(line) ? 2 : 1;
  if (finiteVerb.test(line)) return undefined;
  const number = numberedHeading.exec(line) ?? letteredHeading.exec(line);
  // A numbered sentence ("1. The operator must …") has a verb and a full stop; a title is short.
  if (number)
    return line.split(/\s+/).length <= 14
      ? (number[1] ?? '').split('.').length + (letteredHeading.test(line) ? 1 : 0)
      : undefined;
  if (standardHeading.test(line)) return 1;
  const letters = line.replace(/[^\p{L}]/gu, '');
  if (
    letters.length >= 4 &&
    letters === letters.toUpperCase() &&
    line.split(/\s+/).length <= 10 &&
    !/^(?:MUST|SHALL|REQUIRED|OPTIONAL|RECOMMENDED|MAY|SHOULD)\b/.test(line)
  )
    return 1;
  return undefined;
}

/** Bullets, including private-use characters of symbol fonts and the `o` of word processors. */
const bullet = /^(?:[-–—•●◦▪■□*+·‣⁃➢✓❖○o]\s+(?=\S)|[\ue000-\uf8ff]\s*)/u;
const enumerated = /^(?:\(?(?:\d{1,3}|[a-z]{1,2}|[ivx]{1,5})\)|\(\p{Lu}\)|\d{1,3}\.|[a-z]\.)\s+(?=\S)/u;

/** Whether a line starts with a sign that can only be a bullet, so that the line is never a heading. */
export const hasBulletSign = (line: string): boolean => /^[•●◦▪■□·‣⁃➢✓❖○]\s/u.test(line);

export interface ItemMarker {
  /** Length of the marker and the space after it in characters. */
  readonly length: number;
  /** Whether the marker is unambiguous: a bullet, not a number with which a line happens to start. */
  readonly isUnambiguous: boolean;
}

/** Returns the bullet or number with which a line starts. */
export function findItemMarker(line: string): ItemMarker | undefined {
  const sure = bullet.exec(line);
  if (sure) return { length: sure[0].length, isUnambiguous: true };
  const other = enumerated.exec(line);
  return other ? { length: other[0].length, isUnambiguous: /^\(?(?:\d+|[a-z]+)\)/.test(other[0]) } : undefined;
}

/** Whether the first row of a table consists of short labels, so that it is used as the header when none is marked. */
export function looksLikeHeader(names: readonly string[]): boolean {
  return (
    names.length > 1 &&
    names.every((name) => name !== '' && name.length <= 40 && !/[:;?!]$|.{6}\.$|\d{3,}|:\/\/|@/.test(name))
  );
}
