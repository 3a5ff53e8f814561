import { createHash } from 'node:crypto';
import { MCP_NAME_PREFIX } from '@phaseline/pack-specs';

/** Maximum length of a function name on model servers. */
const MAX_NAME_CHARACTERS = 64;

/**
 * Name under which a tool is offered to the model: `mcp__server__tool`. If characters or length must change, the name
 * ends with a hash of the original, which makes it deterministic and unique.
 */
export function createOfferedName(server: string, tool: string): string {
  const plain = `${MCP_NAME_PREFIX}${server}__${tool}`;
  const legal = plain.replace(/[^A-Za-z0-9_-]/g, '_');
  if (legal === plain && plain.length <= MAX_NAME_CHARACTERS) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, 8);
  return `${legal.slice(0, MAX_NAME_CHARACTERS - hash.length - 1)}_${hash}`;
}
