import { printable } from '../output/printable.js';

const LOUD: readonly string[] = ['warn', 'error', 'fatal'];

/**
 * What a line of a service's log has to say to the person at the terminal: warnings and worse in one plain line, what is not
 * JSON (a crash of Node itself) as it is, everything else undefined.
 */
export function logWarning(line: string): string | undefined {
  const entry = parse(line);
  if (entry === undefined) return line.trim() === '' ? undefined : printable(line);
  const { level, message, error } = entry;
  if (typeof level !== 'string' || !LOUD.includes(level)) return undefined;
  const cause = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : undefined;
  const said = typeof message === 'string' ? printable(message) : '';
  const why = typeof cause === 'string' ? printable(cause) : '';
  // Many a message ends with that of its cause already.
  return `${level}: ${said.includes(why) ? said || 'no message' : [said, why].filter(Boolean).join(': ')}`;
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
