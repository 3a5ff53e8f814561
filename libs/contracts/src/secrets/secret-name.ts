import { z } from 'zod';

/** Name of a secret, as `${secret:NAME}` refers to it. */
export const secretNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected letters, digits and _, at most 64, and no digit first');

/** Matches every reference to a secret in a text; the first group is its name. */
const SECRET_REFERENCE = /\$\{secret:([^}]*)\}/g;

/** Names of the secrets that texts refer to. */
export function listSecretReferences(texts: Iterable<string>): readonly string[] {
  const names = [...texts].flatMap((text) => [...text.matchAll(SECRET_REFERENCE)].map(([, name]) => name!));
  return [...new Set(names)];
}
