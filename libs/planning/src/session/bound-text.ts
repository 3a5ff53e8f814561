import { clip, isBlankText } from '@phaseline/basics';
import { MAX_SENTENCES_CHARACTERS } from '../artifacts/fields.js';

/** Cuts a text to what artifacts and sessions hold: well formed, trimmed, and a few sentences long. `clip` adds one character. */
export function boundText(text: string): string {
  return clip(text.toWellFormed().trim(), MAX_SENTENCES_CHARACTERS - 1);
}

/** Returns what a person said as instructions for the next draft; none if they said nothing that can be seen. */
export function toInstructions(text: string): string[] {
  const bounded = boundText(text);
  return isBlankText(bounded) ? [] : [bounded];
}
