import { clip } from '@phaseline/basics';
import type { documentsSpec } from '@phaseline/pack-specs';
import { narrowArgument, type ToolRun } from '@phaseline/tools';
import { DEFAULT_DOCUMENT_SETTINGS, MODALITIES } from '@phaseline/contracts';
import {
  describeLocation,
  CANDIDATES_SCHEMA,
  renderCandidates,
  encodeCandidates,
  findCandidates,
  type Candidate,
  type CandidateSearchResult,
} from '@phaseline/documents';
import { openExtraction, type OpenedExtraction } from './open-extraction.js';
import { toPath } from './workspace-files.js';

/** Maximum candidates that the result shows; the file has all. */
const MAX_SHOWN_CANDIDATES = 12;

/**
 * Tool that finds sentences, list items and table rows that demand, forbid, recommend or allow something, in English and German.
 * Writes `candidates.json` beside the extraction (for a chunk, `candidates/<chunk>.json`) and the same as a table (`.md`).
 */
export const identifyRequirementCandidates: ToolRun<typeof documentsSpec, 'identify_requirement_candidates'> = async (
  context,
  { path, lowerCase = 'auto', minConfidence: askedConfidence, output },
) => {
  const { value: minConfidence, note } = narrowArgument({
    name: 'minConfidence',
    asked: askedConfidence,
    limit: context.settings?.documents?.minConfidence,
    fallback: DEFAULT_DOCUMENT_SETTINGS.minConfidence,
    stricter: 'higher',
  });
  const extraction = await openExtraction(context, path);
  const { header, blocks, folder, chunk } = extraction;
  // Always search the whole document: conventions, lead-in sentences of lists and ids span chunks.
  const found = await findCandidates(blocks, {
    unit: header.unit,
    document: header.document.path,
    lowerCase,
    signal: context.signal,
  });
  const candidates = chunk ? found.candidates.filter((candidate) => isInChunk(candidate, chunk)) : found.candidates;
  const clear = candidates.filter((candidate) => candidate.confidence >= minConfidence);
  const doubtful = candidates.filter((candidate) => candidate.confidence < minConfidence);
  const omitted = chunk ? found.omitted.filter((entry) => isInChunk(entry, chunk)) : found.omitted;
  const file =
    output !== undefined
      ? toPath(output)
      : chunk
        ? `${folder}/candidates/${chunk.name}.json`
        : `${folder}/candidates.json`;
  const table = `${file.replace(/\.json$/, '')}.md`;
  const conventions = (['en', 'de'] as const).filter((language) => found.convention[language]);
  const content = encodeCandidates({
    schema: CANDIDATES_SCHEMA,
    document: header.document.path,
    sha256: header.document.sha256,
    extraction: extraction.path,
    convention: conventions,
    lowerCase,
    minConfidence,
    sentences: found.sentences,
    doubtful: doubtful.length,
    omitted: [...omitted],
    candidates: [...candidates],
  });
  return {
    content: formatSummary(extraction, found, {
      clear,
      doubtful: doubtful.length,
      omitted: omitted.length,
      file,
      table,
      lowerCase,
      conventions,
      note,
    }),
    files: [
      { path: file, content },
      {
        path: table,
        content: Buffer.from(
          renderCandidates(header.document.path, { clear, doubtful, omitted }, ({ location }) =>
            describeLocation(location),
          ),
        ),
      },
    ],
  };
};

function isInChunk(
  candidate: Pick<Candidate, 'block' | 'from'>,
  chunk: NonNullable<OpenedExtraction['chunk']>,
): boolean {
  const { block, from } = candidate;
  if (block < chunk.from || block >= chunk.to) return false;
  if (block === chunk.from && from < chunk.fromOffset) return false;
  return block !== chunk.to - 1 || chunk.toOffset === undefined || from < chunk.toOffset;
}

interface Result {
  readonly clear: readonly Candidate[];
  readonly doubtful: number;
  readonly omitted: number;
  readonly file: string;
  readonly table: string;
  readonly lowerCase: 'auto' | 'report' | 'ignore';
  readonly conventions: readonly string[];
  readonly note: readonly string[];
}

function formatSummary(
  extraction: OpenedExtraction,
  found: CandidateSearchResult,
  { clear, doubtful, omitted, file, table, lowerCase, conventions, note }: Result,
): string {
  const counts = MODALITIES.flatMap((modality) => {
    const count = clear.filter((candidate) => candidate.modality === modality).length;
    return count > 0 ? [`${modality} ${count}`] : [];
  });
  const part = extraction.chunk ? ` (chunk ${extraction.chunk.name})` : '';
  return [
    `Found ${clear.length} candidates in ${extraction.header.document.path}${part}: ${counts.length > 0 ? counts.join(', ') : 'none'}.`,
    `Checked ${found.sentences} sentences. The file also contains ${doubtful} doubtful candidates, which are not accepted unless you include them, and ${omitted} sentences that may express obligations, with the reason why they are not candidates.`,
    ...note,
    ...(conventions.length > 0 && lowerCase === 'auto'
      ? [
          "The document writes its key words in capitals (RFC 2119, RFC 8174), so the same words in lower case do not count as obligations. If they should count, call again with lowerCase 'report'.",
        ]
      : []),
    'Written:',
    `- ${file}: pass this path to cite_document in 'candidates'`,
    `- ${table}: the same candidates as a table for review`,
    ...(clear.length > 0 ? [`First ${Math.min(MAX_SHOWN_CANDIDATES, clear.length)}:`] : []),
    ...clear
      .slice(0, MAX_SHOWN_CANDIDATES)
      .map(
        (candidate) =>
          `- ${candidate.id} [${candidate.modality}, ${describeLocation(candidate.location)}] ${clip(candidate.text, 200)}`,
      ),
  ].join('\n');
}
