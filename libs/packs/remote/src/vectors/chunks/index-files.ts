import type { RemoteToolContext } from '@phaseline/tools';
import type { Embedder } from '@phaseline/embeddings';
import { computeTextDigest, type ChunkStore } from './chunk-store.js';
import type { IndexScope } from './index-scope.js';
import { cutText, type TextChunk } from './cut-text.js';

/** Maximum size of an indexed file. Notes and extracted documents are smaller. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Maximum number of chunks of all files in one search; docs/reference/packs.md describes the cost. */
export const MAX_CHUNKS = 50_000;
/** Texts embedded and stored per batch. A crash loses at most one batch. */
const TEXTS_PER_BATCH = 64;

export interface FileState {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  /** Number of chunks; `undefined` while the file is not indexed. */
  readonly chunks: number | undefined;
  readonly skipReason: string | undefined;
}

/** Returns the index state of all files of a job, sorted by path. */
export async function readFileStates(
  store: ChunkStore,
  scope: IndexScope,
  { workspace }: Pick<RemoteToolContext, 'workspace'>,
): Promise<readonly FileState[]> {
  const files = Object.entries(workspace.tree).map(([path, { hash, size }]) => ({ path, hash, size }));
  const indexed = await store.findIndexedFiles(scope, [...new Set(files.map(({ hash }) => hash))]);
  const byHash = new Map(indexed.map((file) => [file.fileHash, file]));
  return files
    .map((file) => {
      const known = byHash.get(file.hash);
      return { ...file, chunks: known?.chunks, skipReason: known?.skipReason };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Says that retention removed the vectors of a job, if no file is indexed because of that. The files of a retried job are indexed again. */
export async function describeRemoval(
  store: ChunkStore,
  scope: IndexScope,
  states: readonly FileState[],
): Promise<readonly string[]> {
  if (states.length === 0 || states.some(({ chunks }) => chunks !== undefined)) return [];
  const removedAt = await store.findRemoval(scope);
  return removedAt === undefined
    ? []
    : [`The vectors of this job were removed by retention on ${removedAt}; a search makes them again from its files.`];
}

/**
 * Indexes files that are not indexed yet, until `deadline` (in terms of `performance.now()`) or until the index is full.
 * Returns the resulting states. Progress is committed and survives a crash of the process.
 */
export async function indexFiles(
  store: ChunkStore,
  embedder: Embedder,
  scope: IndexScope,
  context: RemoteToolContext,
  files: readonly FileState[],
  deadline: number,
): Promise<readonly FileState[]> {
  let remainingChunks = MAX_CHUNKS - files.reduce((sum, { chunks = 0 }) => sum + chunks, 0);
  const done = new Map<string, Pick<FileState, 'chunks' | 'skipReason'>>();
  // Small files first, so that most files become searchable soon.
  for (const file of files.toSorted((a, b) => a.size - b.size)) {
    if (file.chunks !== undefined || done.has(file.hash)) continue;
    if (performance.now() > deadline) break;
    context.signal.throwIfAborted();
    const text = await readText(context, file);
    const chunks = typeof text === 'string' ? cutText(text) : [];
    if (chunks.length > remainingChunks) continue;
    const finished = await embedChunks(store, embedder, scope, context, chunks, deadline);
    if (!finished) break;
    const skipReason = typeof text === 'string' ? undefined : text.skipReason;
    await store.recordFile(scope, file.hash, chunks, skipReason);
    done.set(file.hash, { chunks: chunks.length, skipReason });
    remainingChunks -= chunks.length;
  }
  return files.map((file) => ({ ...file, ...done.get(file.hash) }));
}

/** Creates and stores missing embeddings. Returns false if the deadline passed first. */
async function embedChunks(
  store: ChunkStore,
  embedder: Embedder,
  scope: IndexScope,
  { signal }: RemoteToolContext,
  chunks: readonly TextChunk[],
  deadline: number,
): Promise<boolean> {
  const texts = new Map(chunks.map(({ text }) => [computeTextDigest(text), text]));
  const known = await store.findStoredDigests(scope, [...texts.keys()]);
  const missing = [...texts].filter(([digest]) => !known.has(digest));
  for (let at = 0; at < missing.length; at += TEXTS_PER_BATCH) {
    if (performance.now() > deadline) return false;
    const batch = missing.slice(at, at + TEXTS_PER_BATCH);
    const vectors = await embedder.embed(
      batch.map(([, text]) => text),
      signal,
    );
    await store.storeEmbeddings(
      scope,
      batch.map(([digest], i) => ({ digest, vector: vectors[i]! })),
    );
  }
  return true;
}

async function readText(
  context: RemoteToolContext,
  { path, size }: FileState,
): Promise<string | { skipReason: string }> {
  if (size > MAX_FILE_BYTES) return { skipReason: `larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB` };
  const bytes = await context.workspace.read(path);
  if (!bytes) return { skipReason: 'cannot be read' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { skipReason: 'no text' } : text;
  } catch {
    return { skipReason: 'no text' };
  }
}
