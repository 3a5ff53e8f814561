import { toCanonicalJson } from '@phaseline/basics';
import { createHash } from 'node:crypto';

/** SHA-256 of a value in hex. The order of keys and the layout of the file do not matter. */
export function hashContent(value: unknown): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex');
}
