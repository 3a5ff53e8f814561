/** How headings and items look in documents that carry no markup: plain text and PDF. */

const MAX_HEADING_CHARACTERS = 110;

const numbered = /^(?:§+\s*)?(\d{1,3}(?:\.\d{1,3}){0,5})\.?\)?\s{1,12}(?=[\p{Lu}"„“«])/u;
const lettered = /^([A-Z])(?:\.\d{1,3}){1,4}\.?\s{1,12}(?=\p{Lu})/u;
const worded =
  /^(?:(?:[Cc]hapter|[Ss]ection|[Pp]art|[Aa]nnex|[Aa]ppendix|[Aa]rticle|[Cc]lause|[Ss]chedule|Kapitel|Abschnitt|Teil|Anhang|Anlage|Artikel|Art\.|CHAPTER|SECTION|PART|ANNEX|APPENDIX|ARTICLE)\s+(?:\d{1,4}[a-z]?|[A-Z]|[IVXLC]{1,7})|§+\s*\d{1,4}[a-z]?)(?![\p{L}\p{N}])/u;
const alone =
  /^(?:abstract|introduction|scope|terms and definitions|definitions|terminology|normative references|references|acknowledge?ments|foreword|preamble|conclusion|summary|table of contents|contents|einleitung|geltungsbereich|anwendungsbereich|begriffe|begriffsbestimmungen|vorwort|präambel|zusammenfassung|inhalt|inhaltsverzeichnis|literatur)$/iu;

/** A line with a finite verb of these is a sentence, however short and numbered it is. */
const verbed =
  /\b(?:must|shall|should|may|can|is|are|was|will|has|have|needs?|muss|müssen|soll|sollen|sollten?|darf|dürfen|kann|können|ist|sind|wird|werden|hat|haben)\b/u;

/** The level of a line that stands alone and reads like a heading (1 is the highest), or nothing when it reads like text. */
export function headingLevel(line: string): number | undefined {
  if (line.length > MAX_HEADING_CHARACTERS || /[.;:,!?]$/.test(line.replace(/\.{3,}\s*\d+$/, ''))) return undefined;
  if (/\.{4,}|(?:\s\.){4,}/.test(line)) return undefined;
  if (worded.test(line)) return /^(?:§|art)/i.test(line) ? 2 : 1;
  if (verbed.test(line)) return undefined;
  const number = numbered.exec(line) ?? lettered.exec(line);
  // A numbered sentence ("1. The operator must …") has a verb and a full stop; a title is short.
  if (number)
    return line.split(/\s+/).length <= 14
      ? (number[1] ?? '').split('.').length + (lettered.test(line) ? 1 : 0)
      : undefined;
  if (alone.test(line)) return 1;
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

/** Among them the letters of the private use area, which symbol fonts use for bullets, and the `o` of word processors. */
const bullet = /^(?:[-–—•●◦▪■□*+·‣⁃➢✓❖○o]\s+(?=\S)|[\ue000-\uf8ff]\s*)/u;
const enumerated = /^(?:\(?(?:\d{1,3}|[a-z]{1,2}|[ivx]{1,5})\)|\(\p{Lu}\)|\d{1,3}\.|[a-z]\.)\s+(?=\S)/u;

/** Whether a line begins with a sign that nothing but a bullet is: no heading does, whatever face it is set in. */
export const hasBulletSign = (line: string): boolean => /^[•●◦▪■□·‣⁃➢✓❖○]\s/u.test(line);

export interface ItemMarker {
  /** Characters of the marker and the space behind it. */
  readonly length: number;
  /** Whether the marker can hardly be anything else: a bullet, not a number that a line happens to begin with. */
  readonly sure: boolean;
}

/** The bullet or number that a line begins with. */
export function itemMarker(line: string): ItemMarker | undefined {
  const sure = bullet.exec(line);
  if (sure) return { length: sure[0].length, sure: true };
  const other = enumerated.exec(line);
  return other ? { length: other[0].length, sure: /^\(?(?:\d+|[a-z]+)\)/.test(other[0]) } : undefined;
}

/** Without cells marked as such, a first row of short labels is taken as the header of a table. */
export function looksLikeHeader(names: readonly string[]): boolean {
  return (
    names.length > 1 &&
    names.every((name) => name !== '' && name.length <= 40 && !/[:;?!]$|.{6}\.$|\d{3,}|:\/\/|@/.test(name))
  );
}
