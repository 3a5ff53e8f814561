import { z } from 'zod';

/** Text without NUL and without halves of surrogate pairs: PostgreSQL's `jsonb` refuses both. */
export function wellFormed(text: string): string {
  // `toWellFormed` exists wherever this runs (Node 20, browsers since 2023) but not yet in the types of ES2023.
  const repaired = (text as string & { toWellFormed(): string }).toWellFormed();
  return repaired.replaceAll('\0', '');
}

/** Text that is repaired while it is parsed, so that what is checked, logged and stored is the same. */
export function wellFormedText(): z.ZodString {
  return z.string().overwrite(wellFormed);
}
