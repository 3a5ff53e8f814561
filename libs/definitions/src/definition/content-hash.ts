import { createHash } from 'node:crypto';

/** SHA-256 of a value in hex. The order of keys and the layout of the file do not matter. */
export function hashContent(value: unknown): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex');
}

/** Serialises a value as JSON without white space, with keys sorted by UTF-16 code units. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${toCanonicalJson(item)}`).join(',')}}`;
}
