import { z } from 'zod';

/** Removes NUL and replaces lone surrogates, because PostgreSQL's `jsonb` accepts neither. */
export function toWellFormed(text: string): string {
  // `toWellFormed` is available in Node 20 and in browsers since 2023, but is missing in the types of ES2023.
  const repaired = (text as string & { toWellFormed(): string }).toWellFormed();
  return repaired.replaceAll('\0', '');
}

/** Schema of a string that is made well-formed when it is parsed, so that the same text is validated, logged and stored. */
export function wellFormedText(): z.ZodString {
  return z.string().overwrite(toWellFormed);
}
