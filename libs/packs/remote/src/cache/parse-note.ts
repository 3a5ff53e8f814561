/** The contents of the note of an ended claim, as far as the note follows the format that `parseNote` accepts. */
export interface ParsedNote {
  readonly resolution?: 'integrated' | 'duplicate' | 'rejected';
  /** Id of the requirement in the graph; for a duplicate, the id of the original. */
  readonly rid?: string;
  readonly fulfillment?: 'fulfilled' | 'not fulfilled' | 'undecided';
  /** Name of the business object or message that fulfils the requirement. */
  readonly by?: string;
}

/**
 * Parses notes of the form `integrated as ID; fulfilled by NAME (why)`, `duplicate of ID` and `rejected: why`. Returns an empty
 * object for any other note.
 */
export function parseNote(note: string | undefined): ParsedNote {
  if (note === undefined) return {};
  const [, resolution, rid] = /^\s*(integrated as|duplicate of|rejected)\b(?:\s+([^\s;,]+))?/i.exec(note) ?? [];
  if (resolution === undefined) return {};
  const kind = resolution.toLowerCase();
  if (kind === 'rejected') return { resolution: 'rejected' };
  const id = rid === undefined ? {} : { rid };
  if (kind === 'duplicate of') return { resolution: 'duplicate', ...id };
  const [, fulfillment, by] = /;\s*(fulfilled|not fulfilled|undecided)\b(?:\s+by\s+([^;(]+))?/i.exec(note) ?? [];
  return {
    resolution: 'integrated',
    ...id,
    ...(fulfillment === undefined ? {} : { fulfillment: fulfillment.toLowerCase() as 'fulfilled' }),
    ...(by === undefined ? {} : { by: by.trim() }),
  };
}
