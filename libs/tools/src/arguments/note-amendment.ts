import { clip } from '@phaseline/basics';
import type { AdmittedCall } from '@phaseline/domain';

/** Maximum length of the shown arguments in characters. */
const MAX_ARGUMENT_CHARACTERS = 2_000;

/**
 * Appends to a result that a person changed the arguments of the call. Without it the model would believe that its own arguments
 * led to the result. A nested call of a script gets the result unchanged.
 */
export function noteAmendment({ arguments: args, approvalDecision, parent }: AdmittedCall, content: string): string {
  if (!approvalDecision?.replacedArguments || parent !== undefined) return content;
  const shown = clip(JSON.stringify(args), MAX_ARGUMENT_CHARACTERS);
  return `${content}\n[${approvalDecision.actor} approved this call with other arguments: ${shown}]`;
}
