import { citationsSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import type { WorkspaceReader } from '@phaseline/workspace';
import {
  cite,
  createQuoteNotFoundError,
  describeLocation,
  readSources,
  type CitationResult,
  type StoredSource,
} from '@phaseline/documents';
import { ToolError } from '@phaseline/contracts';
import { getSourceIndex } from './source-index.js';

/** Tool that checks a quotation against a stored source. An `inline` tool, so that it sees sources fetched earlier in the same model response. */
export const citeWeb: ToolRun<typeof citationsSpec, 'cite_web'> = async (
  { workspace },
  { source: n, quote, lines },
) => {
  const source = await requireSource(workspace, n);
  const index = await getSourceIndex(source, await readSourceText(workspace, source));
  const cited = { path: source.file, sha256: source.sha256, index };
  if (index.find(quote).length === 0)
    throw createQuoteNotFoundError(cited, quote, await index.findNearestInSlices(quote));
  const place = lines && { from: Math.min(lines.from, lines.to), to: Math.max(lines.from, lines.to) };
  const found = cite(cited, { quote, place });
  const { section = [], kind, text } = index.document.blocks[found.block] ?? {};
  return { content: formatCitation(source, found, kind === 'heading' ? text : section.at(-1)) };
};

async function requireSource(workspace: WorkspaceReader, n: number): Promise<StoredSource> {
  const sources = await readSources(workspace);
  const found = sources.find((one) => one.number === n);
  if (found) return found;
  const known = sources.slice(-20).map((one) => `${one.number} (${one.title || one.url})`);
  const list =
    known.length > 0 ? `Stored sources: ${known.join(', ')}.` : 'No source is stored yet. Store one with fetch_url.';
  throw new ToolError('source_missing', `Source ${n} does not exist. ${list}`);
}

async function readSourceText(workspace: WorkspaceReader, source: StoredSource): Promise<string> {
  // Cite only the text as it was retrieved, never a file that was changed since.
  const bytes = workspace.tree[source.file]?.hash === source.textSha256 ? await workspace.read(source.file) : undefined;
  if (!bytes)
    throw new ToolError(
      'source_changed',
      `${source.file} has changed since it was stored. Fetch ${source.url} again with fetch_url.`,
    );
  return new TextDecoder().decode(bytes);
}

function formatCitation(
  source: StoredSource,
  { citation, others }: CitationResult,
  heading: string | undefined,
): string {
  const { number, url, title, file, retrievedAt, sha256 } = source;
  const { lines, quote } = citation;
  const entry = {
    source: number,
    url,
    title,
    ...(heading === undefined ? {} : { heading }),
    file,
    lines,
    quote,
    retrievedAt,
    sha256,
  };
  const also = others.length > 0 ? ` (also on ${others.slice(0, 5).map(describeLocation).join(', ')})` : '';
  return `${JSON.stringify(entry)}${also}`;
}
