import { toCanonicalJson } from '@phaseline/basics';

/** Returns the hash of a text in hexadecimal. Injected, because the library imports no cryptography. */
export type HashText = (text: string) => string;

/** Returns the content hash of an artifact in its camelCase form. The order of fields does not matter, the order of lists does. */
export function computeContentHash(artifact: object, hashText: HashText): string {
  return hashText(toCanonicalJson(artifact));
}
