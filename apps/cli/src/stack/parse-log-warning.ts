import { toPrintable } from '../output/printable.js';

const SHOWN_LEVELS: readonly string[] = ['warn', 'error', 'fatal'];

/**
 * Converts a line of a service's log for display: warnings and errors become one line of text, lines that are not JSON (such as a
 * crash of Node) are kept, everything else becomes undefined.
 */
export function parseLogWarning(line: string): string | undefined {
  const entry = parse(line);
  if (entry === undefined) return line.trim() === '' ? undefined : toPrintable(line);
  const { level, message, error } = entry;
  if (typeof level !== 'string' || !SHOWN_LEVELS.includes(level)) return undefined;
  const cause = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : undefined;
  const text = typeof message === 'string' ? toPrintable(message) : '';
  const reason = typeof cause === 'string' ? toPrintable(cause) : '';
  // Many messages already include that of their cause.
  return `${level}: ${text.includes(reason) ? text || 'no message' : [text, reason].filter(Boolean).join(': ')}`;
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
