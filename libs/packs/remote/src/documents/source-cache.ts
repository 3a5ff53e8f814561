import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RemoteToolContext } from '@phaseline/tools';
import { checkSize, readDocument } from '@phaseline/formats';
import { findFile, readFile } from './workspace-files.js';
import { QuoteIndex, type CitedSource } from '@phaseline/documents';

/** Maximum parsed documents in memory: consecutive calls mostly cite the same document. */
const MAX_CACHED_DOCUMENTS = 3;
/** A longer document is not cached but parsed for each call. */
const MAX_CACHED_CHARACTERS = 4_000_000;

const cachedSources = new LRUCache<string, CitedSource>({ max: MAX_CACHED_DOCUMENTS });

/** Opens the source document itself, not its extraction, because citations are checked against the submitted document. */
export async function openSource(context: RemoteToolContext, path: string): Promise<CitedSource> {
  const found = findFile(context, path);
  checkSize(found.path, found.entry.size);
  const key = `${found.entry.hash} ${found.path}`;
  const known = cachedSources.get(key);
  if (known) return known;
  const bytes = await readFile(context, found.path);
  const index = new QuoteIndex(await readDocument(found.path, bytes, context.signal));
  // Not the content hash of the workspace, which for a large file is not the SHA-256 of its bytes.
  const source = { path: found.path, sha256: hash('sha256', bytes, 'hex'), index };
  const characters = index.document.blocks.reduce((sum, block) => sum + block.text.length, 0);
  if (characters <= MAX_CACHED_CHARACTERS) cachedSources.set(key, source);
  return source;
}
