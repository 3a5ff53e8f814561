import type { RunnerContext } from '../../tool.js';
import { ToolError } from '../../tool-error.js';
import { manifestSchema } from '../chunk/chunk-manifest.js';
import { readFile, toPath, workFolder } from '../workspace-files.js';
import { decodeExtraction, type Extraction } from './extraction-file.js';

/** An extraction, and the part of it that a chunk stands for. */
export interface OpenedExtraction extends Extraction {
  readonly path: string;
  /** Folder that results of this document go into. */
  readonly folder: string;
  /** The chunk that was asked for: its blocks `[from, to)`, and the stretch of a block that was cut. */
  readonly chunk?: {
    readonly name: string;
    readonly from: number;
    readonly to: number;
    readonly fromOffset: number;
    readonly toOffset: number | undefined;
  };
}

const has = (context: RunnerContext, path: string): boolean => Object.hasOwn(context.workspace.tree, path);

/**
 * Opens the extraction that a path stands for: `blocks.jsonl` itself, its folder, the readable text beside it, a chunk
 * made of it, or the document that was extracted.
 *
 * Throws `extraction_missing` when there is none, saying how to make it.
 */
export async function openExtraction(context: RunnerContext, given: string): Promise<OpenedExtraction> {
  const path = toPath(given);
  const chunk = /^(.*\/chunks)\/([^/]+)\.md$/.exec(path);
  if (chunk?.[1] && chunk[2] && has(context, `${chunk[1]}/manifest.json`))
    return openChunk(context, chunk[1], chunk[2], path);
  const bare = path.replace(/\/(?:blocks\.jsonl|text\.md)?$/, '');
  const candidates = [path, `${bare}/blocks.jsonl`, `${workFolder(bare)}/blocks.jsonl`].filter((name) =>
    name.endsWith('.jsonl'),
  );
  const found = candidates.find((name) => has(context, name));
  if (!found) {
    const known = Object.keys(context.workspace.tree).filter((name) => name.endsWith('/blocks.jsonl'));
    throw new ToolError(
      'extraction_missing',
      `There is no extraction at '${path}'. ${known.length > 0 ? `The extractions are: ${known.slice(0, 10).join(', ')}.` : 'Run extract_document_text on the document first.'}`,
    );
  }
  return {
    ...decodeExtraction(found, await readFile(context, found)),
    path: found,
    folder: found.slice(0, found.lastIndexOf('/')),
  };
}

async function openChunk(
  context: RunnerContext,
  folder: string,
  name: string,
  path: string,
): Promise<OpenedExtraction> {
  const manifestPath = `${folder}/manifest.json`;
  const parsed = manifestSchema.safeParse(parseJson(await readFile(context, manifestPath)));
  const entry = parsed.success ? parsed.data.chunks.find((chunk) => chunk.file === path) : undefined;
  if (!parsed.success || !entry) {
    throw new ToolError(
      'chunk_unknown',
      `'${path}' is not listed in '${manifestPath}'. Run chunk_document again, or pass the path of blocks.jsonl.`,
    );
  }
  const extraction = await openExtraction(context, parsed.data.extraction);
  const { from, to } = entry.blocks;
  if (extraction.header.document.sha256 !== parsed.data.sha256 || to > extraction.blocks.length) {
    throw new ToolError('chunk_outdated', `'${path}' was cut from an older extraction. Run chunk_document again.`);
  }
  return {
    ...extraction,
    chunk: { name, from, to, fromOffset: entry.blocks.fromOffset ?? 0, toOffset: entry.blocks.toOffset },
  };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
