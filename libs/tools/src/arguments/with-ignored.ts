import type { CallState } from '@phaseline/domain';

/** A result as the model reads it: with a remark where arguments were passed over. A script reads results as they are. */
export function withIgnored({ name, ignored = [], parent }: CallState, content: string): string {
  if (ignored.length === 0 || parent !== undefined) return content;
  const names = ignored.map((one) => JSON.stringify(one)).join(', ');
  return `${content}\n[${name} has no ${ignored.length === 1 ? 'argument' : 'arguments'} ${names}; passed over.]`;
}
