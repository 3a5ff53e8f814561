/** What the note of an ended claim says, as far as it keeps to the words below. */
export interface NoteSays {
  readonly verdict?: 'integrated' | 'duplicate' | 'rejected';
  /** Its id in the graph; of a duplicate that of the requirement which it repeats. */
  readonly rid?: string;
  readonly fulfillment?: 'fulfilled' | 'not fulfilled' | 'undecided';
  /** The name of the business object or message. */
  readonly by?: string;
}

/**
 * Reads `integrated as ID; fulfilled by NAME (why)`, `duplicate of ID` and `rejected: why`. Whatever else a note says is
 * left to people.
 */
export function readNote(note: string | undefined): NoteSays {
  if (note === undefined) return {};
  const [, verdict, rid] = /^\s*(integrated as|duplicate of|rejected)\b(?:\s+([^\s;,]+))?/i.exec(note) ?? [];
  if (verdict === undefined) return {};
  const kind = verdict.toLowerCase();
  if (kind === 'rejected') return { verdict: 'rejected' };
  const id = rid === undefined ? {} : { rid };
  if (kind === 'duplicate of') return { verdict: 'duplicate', ...id };
  const [, fulfillment, by] = /;\s*(fulfilled|not fulfilled|undecided)\b(?:\s+by\s+([^;(]+))?/i.exec(note) ?? [];
  return {
    verdict: 'integrated',
    ...id,
    ...(fulfillment === undefined ? {} : { fulfillment: fulfillment.toLowerCase() as 'fulfilled' }),
    ...(by === undefined ? {} : { by: by.trim() }),
  };
}
