import { z } from 'zod';
import { ToolError } from '@phaseline/contracts';
import { encodeJsonFile } from '../json-file.js';
import { candidateSchema, omittedSentenceSchema, type Candidate, type OmittedSentence } from './candidate.js';

export const CANDIDATES_SCHEMA = 'phaseline.candidates/1';

const count = z.int().min(0);

/** Schema of `candidates.json`: the candidates that `identify_requirement_candidates` found in one document or chunk. */
const candidatesFileSchema = z.strictObject({
  schema: z.literal(CANDIDATES_SCHEMA),
  document: z.string(),
  sha256: z.string(),
  extraction: z.string(),
  /** Languages whose key words the document writes in capitals. */
  convention: z.array(z.enum(['en', 'de'])),
  lowerCase: z.enum(['auto', 'report', 'ignore']),
  minConfidence: z.number().min(0).max(1),
  sentences: count,
  /** Number of `candidates` below `minConfidence`: listed for review, but not taken over by `cite_document`. */
  doubtful: count,
  /** Sentences with words of obligation that are not candidates, each with the reason. */
  omitted: z.array(omittedSentenceSchema).optional(),
  candidates: z.array(candidateSchema),
});
export type CandidatesFile = z.infer<typeof candidatesFileSchema>;

export function encodeCandidates({ candidates, omitted = [], ...head }: CandidatesFile): Uint8Array {
  return encodeJsonFile(head, { candidates, omitted });
}

/** Decodes a candidates file, which may have been edited by hand. Throws `candidates_malformed` with the invalid entry. */
export function decodeCandidates(path: string, bytes: Uint8Array): CandidatesFile {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new ToolError('candidates_malformed', `'${path}' is not JSON. Run identify_requirement_candidates again.`, {
      cause,
    });
  }
  const parsed = candidatesFileSchema.safeParse(value);
  if (!parsed.success) {
    const why = z.prettifyError(parsed.error).split('\n').slice(0, 2).join(' ').trim();
    throw new ToolError(
      'candidates_malformed',
      `'${path}' is not a valid candidates file (${why}). Run identify_requirement_candidates again, or undo the change.`,
      { cause: parsed.error },
    );
  }
  return parsed.data;
}

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

/** Returns the chapter and the nearest heading: enough to find the place, and short enough for a table. */
const formatSection = (section: readonly string[]): string =>
  [...new Set([section[1] ?? section[0] ?? '', section.at(-1) ?? ''])].join(' > ');

interface TableParts {
  readonly clear: readonly Candidate[];
  readonly doubtful: readonly Candidate[];
  readonly omitted: readonly OmittedSentence[];
}

/** Renders the candidates as Markdown tables for review. */
export function renderCandidates(
  document: string,
  { clear, doubtful, omitted }: TableParts,
  where: (candidate: Pick<Candidate, 'location'>) => string,
): string {
  const formatRow = (candidate: Candidate): string =>
    `| ${[candidate.id, candidate.modality, candidate.confidence.toFixed(2), where(candidate), escapeCell(formatSection(candidate.section)), escapeCell(candidate.text)].join(' | ')} |`;
  const head = ['| id | modality | confidence | location | section | text |', '|---|---|---|---|---|---|'];
  return [
    `# Candidates of ${document}`,
    '',
    ...head,
    ...clear.map(formatRow),
    '',
    '## Doubtful candidates: accepted only if included',
    '',
    ...head,
    ...doubtful.map(formatRow),
    '',
    '## Omitted: sentences that may express obligations, and why they are not candidates',
    '',
    '| keyword | reason | location | section | text |',
    '|---|---|---|---|---|',
    ...omitted.map(
      (entry) =>
        `| ${[escapeCell(entry.keyword), entry.reason, where(entry), escapeCell(formatSection(entry.section)), escapeCell(entry.quote)].join(' | ')} |`,
    ),
    '',
  ].join('\n');
}
