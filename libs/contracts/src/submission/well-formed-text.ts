import { toWellFormedText } from '@phaseline/basics';
import { z } from 'zod';

/** Schema of a string that is made well-formed when it is parsed, so that the same text is validated, logged and stored. */
export function wellFormedText(): z.ZodString {
  return z.string().overwrite(toWellFormedText);
}
