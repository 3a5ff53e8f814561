import { DEFAULT_DOCUMENT_SETTINGS } from '@phaseline/contracts';
import type { documentsSpec } from '@phaseline/pack-specs';
import { narrowArgument, type ToolRun } from '@phaseline/tools';
import type { FileChange } from '@phaseline/workspace';
import {
  cutChunks,
  MANIFEST_SCHEMA,
  describeLocation,
  findPlaces,
  yieldOrAbort,
  encodeJsonFile,
  type Chunk,
  type Manifest,
  type Block,
  type LocationUnit,
  type Location,
} from '@phaseline/documents';
import { openExtraction } from './open-extraction.js';

/** Maximum chunks that the result lists; the manifest lists all. */
const MAX_LISTED_CHUNKS = 60;

/**
 * Tool that cuts an extracted document along its sections, never within a sentence or a table row. Writes `chunks/001.md` and so on
 * beside the extraction, with `chunks/manifest.json`, and deletes chunks left over from an earlier cut.
 */
export const chunkDocument: ToolRun<typeof documentsSpec, 'chunk_document'> = async (
  context,
  { path, maxTokens: askedTokens, overlap: askedOverlap },
) => {
  const limits = context.settings?.documents;
  const { value: maxTokens, note: tokensNote } = narrowArgument({
    name: 'maxTokens',
    asked: askedTokens,
    limit: limits?.chunkTokens,
    fallback: DEFAULT_DOCUMENT_SETTINGS.chunkTokens,
    stricter: 'lower',
  });
  const { value: overlap, note: overlapNote } = narrowArgument({
    name: 'overlap',
    asked: askedOverlap,
    limit: limits?.overlapTokens,
    fallback: DEFAULT_DOCUMENT_SETTINGS.overlapTokens,
    stricter: 'lower',
  });
  const extraction = await openExtraction(context, path);
  await yieldOrAbort(context.signal);
  const { header, blocks, folder } = extraction;
  const chunks = cutChunks(blocks, { maxTokens, overlap: Math.min(overlap, Math.floor(maxTokens / 2)) });
  const width = Math.max(3, String(chunks.length).length);
  const entries = chunks.map((chunk, i): Manifest['chunks'][number] => ({
    file: `${folder}/chunks/${String(i + 1).padStart(width, '0')}.md`,
    blocks: {
      from: chunk.from,
      to: chunk.to,
      ...(chunk.fromOffset > 0 && { fromOffset: chunk.fromOffset }),
      ...(chunk.toOffset < (blocks[chunk.to - 1]?.text.length ?? 0) && { toOffset: chunk.toOffset }),
    },
    section: findCommonSection(blocks, chunk),
    location: computeLocation(blocks, chunk, header.unit),
    tokens: chunk.tokens,
  }));
  const manifest = {
    schema: MANIFEST_SCHEMA,
    extraction: extraction.path,
    document: header.document.path,
    sha256: header.document.sha256,
    maxTokens,
    overlap,
  };
  const files: FileChange[] = chunks.map((chunk, i) => ({
    path: entries[i]?.file ?? '',
    content: Buffer.from(renderChunk(chunk, i, chunks.length, header.document.path, entries[i])),
  }));
  files.push({ path: `${folder}/chunks/manifest.json`, content: encodeJsonFile(manifest, { chunks: entries }) });
  const current = new Set(files.map((file) => file.path));
  for (const name of Object.keys(context.workspace.tree)) {
    if (name.startsWith(`${folder}/chunks/`) && /\/\d+\.md$/.test(name) && !current.has(name))
      files.push({ path: name, deleted: true });
  }
  const lines = entries
    .slice(0, MAX_LISTED_CHUNKS)
    .map(
      (entry) =>
        `- ${entry.file}: ${describeLocation(entry.location)}, ${entry.tokens} tokens${entry.section.length > 0 ? `, ${entry.section.join(' > ')}` : ''}`,
    );
  return {
    content: [
      `Split ${header.document.path} into ${chunks.length} chunks of at most ${maxTokens} tokens.`,
      ...tokensNote,
      ...overlapNote,
      `Written: ${folder}/chunks/manifest.json and`,
      ...lines,
      ...(entries.length > MAX_LISTED_CHUNKS
        ? [`… and ${entries.length - MAX_LISTED_CHUNKS} more; see the manifest`]
        : []),
    ].join('\n'),
    files,
  };
};

/** Returns the headings that the whole chunk is under, outermost first. */
function findCommonSection(blocks: readonly Block[], chunk: Chunk): string[] {
  const trails = blocks
    .slice(chunk.from, chunk.to)
    .map((block) => (block.kind === 'heading' ? [...block.section, block.text] : block.section));
  const [first = [], ...rest] = trails;
  let shared = first.length;
  for (const trail of rest) {
    let same = 0;
    while (same < shared && trail[same] === first[same]) same += 1;
    shared = same;
  }
  return shared > 0 ? first.slice(0, shared) : first.slice(0, 1);
}

function computeLocation(blocks: readonly Block[], chunk: Chunk, unit: LocationUnit): Location {
  const first = blocks[chunk.from];
  const last = blocks[chunk.to - 1];
  const place = {
    from: first ? findPlaces(first, chunk.fromOffset).from : 1,
    to: last ? findPlaces(last, 0, chunk.toOffset).to : 1,
  };
  return unit === 'line' ? { lines: place } : unit === 'page' ? { pages: place } : { paragraphs: place };
}

function renderChunk(
  chunk: Chunk,
  index: number,
  total: number,
  document: string,
  entry: Manifest['chunks'][number] | undefined,
): string {
  const head = `<!-- chunk ${index + 1} of ${total} · ${document}${entry ? ` · ${describeLocation(entry.location)}${entry.section.length > 0 ? ` · ${entry.section.join(' > ')}` : ''}` : ''} -->`;
  const before = chunk.overlap === '' ? '' : `\n<!-- from the chunk before: -->\n> ${chunk.overlap}\n<!-- end -->\n`;
  return `${head}\n${before}\n${chunk.text}\n`;
}
