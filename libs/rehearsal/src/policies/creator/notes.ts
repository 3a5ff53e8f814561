import type { PastCall } from '../past-call.js';

/** Notes that the extraction phase leaves for the next one. */
export const NOTES = 'notes/extraction.md';
/** Figures written by cite_document. */
export const FIGURES = 'work/figures.md';
/** Figures written by assess_gobd_relevance and extract_entity_mentions. */
export const RELEVANCE = 'work/relevance.md';
export const ENTITIES = 'work/entities.md';

/** An extraction as recorded in the notes. */
export interface DocumentRecord {
  readonly document: string;
  readonly extraction: string;
  /** Format, length and language, as reported by the tool. */
  readonly description: string;
  readonly candidates?: string;
  readonly found?: string;
}

/** Formats the note line of an extraction, or of a document that could not be read. */
export function formatExtractionNote({ arguments: args, result }: PastCall): string {
  const document = typeof args['path'] === 'string' ? args['path'] : '';
  const extraction = /^- (\S.*?\/blocks\.jsonl): pass this path/m.exec(result)?.[1];
  if (extraction === undefined) return `- Not read: \`${document}\`: ${result.split('\n', 1)[0]}`;
  const [, description = ''] = /^Read [^\n]*?: ([^\n]*)\.$/m.exec(result) ?? [];
  const [, language = 'unknown'] = /, language: ([^\n]*?)\.$/m.exec(result) ?? [];
  const remarks = [...result.matchAll(/^Note: (.*)$/gm)].map(([, note]) => ` ${note}`);
  return `- Extracted: \`${document}\` to \`${extraction}\`: ${description}, language ${language}.${remarks.join('')}`;
}

/** Formats the note line of an extraction's candidates. */
export function formatCandidatesNote({ arguments: args, result }: PastCall): string {
  const extraction = typeof args['path'] === 'string' ? args['path'] : '';
  const candidates = /^- (\S.*?\.json): pass this path/m.exec(result)?.[1];
  const [first = '', second = ''] = result.split('\n', 2);
  return candidates === undefined
    ? `- No candidates: \`${extraction}\`: ${first}`
    : `- Candidates: \`${extraction}\` in \`${candidates}\`: ${first} ${second}`;
}

/** Parses the records of all documents that were read. */
export function parseRecords(notes: string): readonly DocumentRecord[] {
  const found = new Map(
    [...notes.matchAll(/^- Candidates: `([^`]+)` in `([^`]+)`: (.*)$/gm)].map(
      ([, extraction = '', candidates = '', found = '']) => [extraction, { candidates, found }] as const,
    ),
  );
  const extracted = [...notes.matchAll(/^- Extracted: `([^`]+)` to `([^`]+)`: (.*)$/gm)].map(
    ([, document = '', extraction = '', description = '']) => ({ document, extraction, description }),
  );
  // A todo that ran twice wrote its lines twice.
  const records = new Map(extracted.map((record) => [record.extraction, record] as const));
  return [...records.values()].map((record) => ({ ...record, ...found.get(record.extraction) }));
}

/** Parses the documents that could not be read, each with the reason, as list lines. */
export function parseUnreadDocuments(notes: string): readonly string[] {
  return [...new Set([...notes.matchAll(/^- Not read: (.*)$/gm)].map(([, said = '']) => said))];
}

/** Finds a figure in the list at the top of the figures file. */
export function findFigure(figures: string, name: string): string | undefined {
  return new RegExp(`^- ${name}: (\\d+)`, 'm').exec(figures)?.[1];
}

/** Finds the sections with the most requirements in the table of the figures file. */
export function findLargestSections(figures: string, count: number): readonly string[] {
  return [...figures.matchAll(/^\| [^|]+ \| ((?:[^|\\]|\\.)+?) \| (\d+) \|$/gm)]
    .map(([, section = '', requirements = '']) => ({
      section: section.replaceAll('\\|', '|'),
      requirements: Number(requirements),
    }))
    .sort((a, b) => b.requirements - a.requirements)
    .slice(0, count)
    .map(({ section }) => section);
}
