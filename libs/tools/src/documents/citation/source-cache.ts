import { hash } from 'node:crypto';
import type { RunnerContext } from '../../tool.js';
import { checkSize, readDocument } from '../format/read-document.js';
import { findFile, readFile } from '../workspace-files.js';
import type { CitedSource } from './cite.js';
import { QuoteIndex } from './find-quote.js';

/** Documents that are kept parsed, as many calls in a row cite the same one. */
const KEPT_DOCUMENTS = 3;
/** A longer document is parsed anew for each call rather than kept. */
const KEPT_CHARACTERS = 4_000_000;

const kept = new Map<string, CitedSource>();

/** Reads the source document itself, not its extraction: a citation is checked against what the user handed in. */
export async function openSource(context: RunnerContext, path: string): Promise<CitedSource> {
  const found = findFile(context, path);
  checkSize(found.path, found.entry.size);
  const key = `${found.entry.hash} ${found.path}`;
  const known = kept.get(key);
  if (known) return known;
  const bytes = await readFile(context, found.path);
  const index = new QuoteIndex(await readDocument(found.path, bytes, context.signal));
  // Not the name of the file, which for a large one is no SHA-256 of its bytes.
  const source = { path: found.path, sha256: hash('sha256', bytes, 'hex'), index };
  const characters = index.document.blocks.reduce((sum, block) => sum + block.text.length, 0);
  if (characters <= KEPT_CHARACTERS) kept.set(key, source);
  for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - KEPT_DOCUMENTS))) kept.delete(oldest);
  return source;
}
