import { createHash } from 'node:crypto';

/** What model servers take as the name of a function. */
const MAX_CHARACTERS = 64;
const PREFIX = 'mcp__';

/**
 * What the model calls a tool of a server: `mcp__server__tool`. A name that had to be changed, for its characters or its
 * length, ends with a hash of what it was, so that it depends on nothing else and no two tools get the same one.
 */
export function offeredName(server: string, tool: string): string {
  const plain = `${PREFIX}${server}__${tool}`;
  const legal = plain.replace(/[^A-Za-z0-9_-]/g, '_');
  if (legal === plain && plain.length <= MAX_CHARACTERS) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, 8);
  return `${legal.slice(0, MAX_CHARACTERS - hash.length - 1)}_${hash}`;
}

export function isMcpName(name: string): boolean {
  return name.startsWith(PREFIX);
}
