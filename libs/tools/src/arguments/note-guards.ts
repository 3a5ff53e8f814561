import type { AdmittedCall } from '@phaseline/domain';

/** Appends to a result what guards tell the model about the call. A nested call of a script gets the result unchanged. */
export function noteGuards({ guardNotes = [], parent }: AdmittedCall, content: string): string {
  if (guardNotes.length === 0 || parent !== undefined) return content;
  return [content, ...guardNotes.map((note) => `[${note}]`)].join('\n');
}
