import type { AdmittedCall } from '@phaseline/domain';

/** Appends a note about ignored arguments to a result for the model. A nested call of a script gets the result unchanged. */
export function noteIgnoredArguments({ name, ignoredArguments = [], parent }: AdmittedCall, content: string): string {
  if (ignoredArguments.length === 0 || parent !== undefined) return content;
  const names = ignoredArguments.map((one) => JSON.stringify(one)).join(', ');
  return `${content}\n[${name} has no ${ignoredArguments.length === 1 ? 'argument' : 'arguments'} ${names}; ignored.]`;
}
