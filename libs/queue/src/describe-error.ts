import { toWellFormedText } from '@phaseline/basics';

/** Maximum length of an error text in characters. Longer texts may contain a whole document. */
const MAX_ERROR_LENGTH = 2_000;

/** Message of an error or of any other thrown value: well-formed, between 1 and 2,000 characters. */
export function describeError(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  // Cut before replacing, because the cut may split a surrogate pair.
  return toWellFormedText(text.slice(0, MAX_ERROR_LENGTH)) || 'unknown error';
}
