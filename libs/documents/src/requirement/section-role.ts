import type { Block } from '../source-document.js';

/** Role of a section, which decides whether its sentences state requirements. `aside` is about the document itself. */
export type SectionRole = 'normative' | 'example' | 'informative' | 'history' | 'aside';

const number =
  '(?:(?:[\\dA-Z]{1,3}\\.)*[\\dA-Z]{1,3}\\.?\\s+|(?:annex|appendix|anhang|anlage)\\s+[A-Z\\d]+\\.?:?\\s*[-–—:]?\\s*)?';
const matchHeading = (words: string): RegExp => new RegExp(`^${number}(?:${words})$`, 'i');

/**
 * Headings of tables of contents and similar lists. They apply only to their own text: in a document without markup, the next
 * heading may look like a subsection of "Table of Contents", but its sentences still state requirements.
 */
const contents = matchHeading(
  '(?:table of )?contents|inhalt|inhaltsverzeichnis|list of (?:tables|figures)|(?:tabellen|abbildungs)verzeichnis|index',
);
/** Headings of sections about the document itself, including their subsections. */
const aside = [
  matchHeading(
    "(?:normative |informative )?references|bibliography|literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|acknowledge?ments?|danksagung|authors?(?:[’']s?)? address(?:es)?|authors?|contributors|copyright(?: notice)?|full copyright statement|status of this (?:memo|document)|impressum|license|lizenz",
  ),
];
const history = matchHeading(
  '(?:document |version |revision )?history|change ?log|changes? (?:history|since|from|in|to)\\b.*|release notes|revisions?|(?:änderungs|versions|dokumenten?)(?:historie|verzeichnis|nachweis)|historie|history of .*',
);
const example = matchHeading('.*\\bexamples?\\b.*|.*beispiele?\\b.*|samples?|illustrations?');
const informative = /\((?:informative|non-normative|informativ|nicht normativ)\)|^(?:informative|non-normative)\b/i;
const saysInformative =
  /^\W*(?:this (?:section|sub-?section|appendix|annex|chapter|part) is (?:non-normative|informative|not normative)|(?:dieser? (?:abschnitt|anhang|anlage|teil)|dieses kapitel) (?:ist|dient nur) (?:nicht normativ|informativ|der information))/i;

/** Determines the role of each section from its headings and from sentences like "This section is non-normative." */
export class SectionRoles {
  private readonly informativeTrails = new Set<string>();

  constructor(blocks: readonly Block[]) {
    for (const block of blocks) {
      if (block.kind !== 'heading' && block.section.length > 0 && saysInformative.test(block.text))
        this.informativeTrails.add(block.section.join('\n'));
    }
  }

  getRole({ section }: Block): SectionRole {
    if (section.some((title) => aside.some((pattern) => pattern.test(title)))) return 'aside';
    if (contents.test(section.at(-1) ?? '')) return 'aside';
    if (section.some((title) => history.test(title))) return 'history';
    if (section.some((title) => informative.test(title))) return 'informative';
    if (
      this.informativeTrails.size > 0 &&
      section.some((_, i) => this.informativeTrails.has(section.slice(0, i + 1).join('\n')))
    )
      return 'informative';
    // A title of the whole document that mentions examples does not make all its sections examples.
    return section.slice(-2).some((title) => example.test(title)) ? 'example' : 'normative';
  }
}

/** Whether a block only refers to another place: an entry of a table of contents, a caption. */
export function isNavigation(block: Block, headings: ReadonlySet<string>): boolean {
  const { text } = block;
  if (/\.{4,}\s*\d*|(?:\s\.){4,}\s*\d*/.test(text)) return true;
  if (
    /^(?:table|figure|fig\.|listing|tabelle|abbildung|abb\.|bild)\s+[\dA-Z][\dA-Z.-]*\s*[:.–—-]/i.test(text) &&
    !/[.!?]\s*$/.test(text)
  )
    return true;
  return block.kind === 'list-item' && headings.has(normaliseTitle(text));
}

export function normaliseTitle(text: string): string {
  return text
    .replace(/^[\d.]+\s+/, '')
    .trim()
    .toLowerCase();
}
