import { documentsSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { createHash } from 'node:crypto';
import {
  EXTRACTION_SCHEMA,
  encodeExtraction,
  guessLanguage,
  renderReadableText,
  UNIT_BY_FORMAT,
  type ExtractionHeader,
  type SourceDocument,
} from '@phaseline/documents';
import { checkSize, readDocument } from '@phaseline/formats';
import { findFile, readFile, toPath, getWorkFolder } from './workspace-files.js';

const formatNames = { markdown: 'Markdown', text: 'plain text', html: 'HTML', pdf: 'PDF', docx: 'DOCX' } as const;
const languageNames = { en: 'English', de: 'German' } as const;

/** Maximum headings that the result shows; the text has all. */
const MAX_OUTLINE_HEADINGS = 40;

/**
 * Tool that reads a document into blocks (headings, paragraphs, items, table rows, code), each with its section and location.
 * Writes `<output>/blocks.jsonl` and `<output>/text.md`.
 */
export const extractDocumentText: ToolRun<typeof documentsSpec, 'extract_document_text'> = async (
  context,
  { path, output },
) => {
  const found = findFile(context, path);
  checkSize(found.path, found.entry.size);
  const bytes = await readFile(context, found.path);
  const document = await readDocument(found.path, bytes, context.signal);
  const folder = output === undefined ? getWorkFolder(found.path) : toPath(output);
  const unit = UNIT_BY_FORMAT[document.format];
  const readable = renderReadableText(document.blocks, unit);
  const language = guessLanguage(readable.text);
  const header: ExtractionHeader = {
    schema: EXTRACTION_SCHEMA,
    document: {
      path: found.path,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
      format: document.format,
      ...(document.encoding !== undefined && { encoding: document.encoding }),
    },
    unit,
    units: document.units,
    ...(language && { language }),
    blocks: document.blocks.length,
    sections: document.blocks.filter((block) => block.kind === 'heading').length,
    characters: document.blocks.reduce((sum, block) => sum + block.text.length, 0),
    text: `${folder}/text.md`,
    notes: [...document.notes],
  };
  return {
    content: formatSummary(header, document, folder),
    files: [
      { path: `${folder}/blocks.jsonl`, content: encodeExtraction(header, document.blocks, readable.lines) },
      { path: `${folder}/text.md`, content: Buffer.from(readable.text) },
    ],
  };
};

function formatSummary(header: ExtractionHeader, document: SourceDocument, folder: string): string {
  const { format, path, bytes } = header.document;
  const headings = document.blocks.filter((block) => block.kind === 'heading');
  const outline = headings
    .slice(0, MAX_OUTLINE_HEADINGS)
    .map((block) => `${'  '.repeat(Math.max(0, block.section.length))}- ${block.text}`);
  return [
    `Read ${path}: ${formatNames[format]}, ${bytes} bytes, ${header.units} ${header.unit}s${header.document.encoding ? `, ${header.document.encoding}` : ''}.`,
    `Blocks: ${header.blocks}, headings: ${header.sections}, characters: ${header.characters} (about ${Math.ceil(header.characters / 4)} tokens), language: ${header.language ? `${languageNames[header.language]} (guess)` : 'unknown'}.`,
    ...header.notes.map((note) => `Note: ${note}`),
    'Written:',
    `- ${folder}/blocks.jsonl: pass this path to chunk_document and identify_requirement_candidates`,
    `- ${folder}/text.md: the text to read`,
    ...(outline.length > 0 ? ['Outline:', ...outline] : []),
    ...(headings.length > MAX_OUTLINE_HEADINGS
      ? [`… and ${headings.length - MAX_OUTLINE_HEADINGS} more headings`]
      : []),
  ].join('\n');
}
