import { readFile } from 'node:fs/promises';
import type { Effect } from '../agent/chaos-pack.js';

/** Reads all effects so far, in the order in which they happened. */
export async function readEffects(file: string): Promise<Effect[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  // Each line is written by one call, but the last one may still be incomplete.
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  return complete
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Effect);
}
