import type { RemoteToolContext } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { manifestSchema, decodeExtraction, type Extraction } from '@phaseline/documents';
import { readFile, toPath, getWorkFolder } from './workspace-files.js';

/** An extraction, and the chunk of it that was requested, if any. */
export interface OpenedExtraction extends Extraction {
  readonly path: string;
  /** Folder for the results of this document. */
  readonly folder: string;
  /** The requested chunk: its blocks `[from, to)`, and the offsets within the first and the last block. */
  readonly chunk?: {
    readonly name: string;
    readonly from: number;
    readonly to: number;
    readonly fromOffset: number;
    readonly toOffset: number | undefined;
  };
}

const hasFile = (context: RemoteToolContext, path: string): boolean => Object.hasOwn(context.workspace.tree, path);

/**
 * Opens the extraction that a path refers to: `blocks.jsonl` itself, its folder, the readable text beside it, one of its chunks, or
 * the extracted document.
 *
 * Throws `extraction_missing` when there is none, with a message that says how to create it.
 */
export async function openExtraction(context: RemoteToolContext, given: string): Promise<OpenedExtraction> {
  const path = toPath(given);
  const chunk = /^(.*\/chunks)\/([^/]+)\.md$/.exec(path);
  if (chunk?.[1] && chunk[2] && hasFile(context, `${chunk[1]}/manifest.json`))
    return openChunk(context, chunk[1], chunk[2], path);
  const base = path.replace(/\/(?:blocks\.jsonl|text\.md)?$/, '');
  const candidates = [path, `${base}/blocks.jsonl`, `${getWorkFolder(base)}/blocks.jsonl`].filter((name) =>
    name.endsWith('.jsonl'),
  );
  const found = candidates.find((name) => hasFile(context, name));
  if (!found) {
    const known = Object.keys(context.workspace.tree).filter((name) => name.endsWith('/blocks.jsonl'));
    throw new ToolError(
      'extraction_missing',
      `'${path}' is not an extraction. ${known.length > 0 ? `The extractions are: ${known.slice(0, 10).join(', ')}.` : 'Run extract_document_text on the document first.'}`,
    );
  }
  return {
    ...decodeExtraction(found, await readFile(context, found)),
    path: found,
    folder: found.slice(0, found.lastIndexOf('/')),
  };
}

async function openChunk(
  context: RemoteToolContext,
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
    throw new ToolError('chunk_outdated', `'${path}' is from an older extraction. Run chunk_document again.`);
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
