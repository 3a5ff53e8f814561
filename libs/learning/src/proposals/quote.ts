import { clip, toSingleLine } from '@phaseline/basics';

/** Maximum characters of a quoted text. Prompts contain the instructions in every step. */
const MAX_QUOTED = 160;

/** Characters that change how a line is read without being seen, such as marks of the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;

/**
 * Quotes a text that a model or a person wrote, in one line. Neither quotation marks in it nor its line breaks end the quotation, so that it does not read
 * as a part of the instructions around it.
 */
export function quote(text: string): string {
  return JSON.stringify(clip(toSingleLine(text).replace(UNSEEN, ''), MAX_QUOTED));
}

/** Returns the name of a tool, an argument or a guard, quoted if it is no plain name: models invent names. */
export function quoteName(name: string): string {
  return /^[A-Za-z_][\w.-]{0,99}$/.test(name) ? name : quote(name);
}
