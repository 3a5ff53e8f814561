import type { WorkspaceReader } from '@phaseline/workspace';
import { ToolError } from '../tool-error.js';

/** A file above this is read in parts: whole, it would stand in memory for every call. */
export const LARGE_FILE_BYTES = 1024 * 1024;

/** Read at once while looking for a line. */
const STEP_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
/** A character has at most four bytes. */
const LONGEST_CHARACTER = 4;

export interface PartAsked {
  readonly path: string;
  /** Of the file, in bytes. */
  readonly size: number;
  /** Where to begin: a line, counted from 1, or a byte, counted from 0. */
  readonly fromLine: number;
  readonly fromByte: number | undefined;
  /** The last line, included; only counts where `fromByte` is missing. */
  readonly toLine: number | undefined;
  /** Where to end, not included; only counts beside `fromByte`. */
  readonly toByte: number | undefined;
  readonly maxLines: number;
  readonly maxCharacters: number;
}

/**
 * A part of a text file, exactly as it stands there, and behind it a line on what it is and how to go on. It reads up to
 * the lines or bytes that are wanted, and nothing behind them. A bound in the middle of a character is moved behind it, so
 * that parts which border on each other leave nothing out and repeat nothing.
 */
export async function readPart(workspace: WorkspaceReader, asked: PartAsked): Promise<string> {
  const { path, size, fromByte, toByte, maxCharacters } = asked;
  const offset = fromByte ?? (await offsetOfLine(workspace, asked));
  if (offset >= size)
    throw new ToolError('bad_range', `${path} has ${size} bytes; from_byte ${offset} is behind its end.`);
  const length = Math.min(maxCharacters * LONGEST_CHARACTER, (toByte ?? Infinity) - offset + LONGEST_CHARACTER);
  const bytes = (await workspace.readRange(path, { offset, length })) ?? new Uint8Array();
  const skipped = offset > 0 ? continuation(bytes, 0) : 0;
  const start = offset + skipped;
  // Bytes that were only read to end the last character are left to the next part.
  const within = toByte === undefined ? bytes.byteLength : endOfCharacter(bytes, Math.max(skipped, toByte - offset));
  const text = wholeCharacters(textOf(path, bytes.subarray(skipped, within)), maxCharacters);
  const wanted = asked.toLine === undefined || fromByte !== undefined ? Infinity : asked.toLine - asked.fromLine + 1;
  const isEnd = start + Buffer.byteLength(text) >= Math.min(size, toByte ?? size);
  // Who names both ends gets what is between them, as far as characters allow; lines only bound what has no end.
  const mostLines = toByte === undefined ? Math.min(asked.maxLines, wanted) : Infinity;
  const shown = firstLines(text, mostLines, isEnd);
  const end = start + Buffer.byteLength(shown);
  const rest = end >= size ? '' : ` Go on with from_byte ${end}.`;
  return `${shown}\n[bytes ${start} to ${end} of ${size}.${rest}]`;
}

/** The first characters of a text, at most so many, and not half of one. */
export function wholeCharacters(text: string, most: number): string {
  const cut = text.slice(0, most);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** Throws ToolError when the file has fewer lines. */
async function offsetOfLine(workspace: WorkspaceReader, { path, size, fromLine }: PartAsked): Promise<number> {
  let line = 1;
  for (let offset = 0; offset < size && line < fromLine; offset += STEP_BYTES) {
    const step = await workspace.readRange(path, { offset, length: STEP_BYTES });
    for (let at = step?.indexOf(NEWLINE) ?? -1; step && at >= 0; at = step.indexOf(NEWLINE, at + 1)) {
      line += 1;
      if (line === fromLine) return offset + at + 1;
    }
  }
  if (line >= fromLine) return 0;
  throw new ToolError('no_such_line', `${path} has ${line} lines; from_line ${fromLine} is behind its end.`);
}

/** So many bytes from `at` on go on with a character that began before. */
function continuation(bytes: Uint8Array, at: number): number {
  let count = 0;
  while (count < LONGEST_CHARACTER - 1 && ((bytes[at + count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

function endOfCharacter(bytes: Uint8Array, at: number): number {
  return Math.min(bytes.byteLength, at + continuation(bytes, at));
}

function textOf(path: string, bytes: Uint8Array): string {
  try {
    // `stream`: a character that is cut at the end is no mistake.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    if (!text.includes('\0')) return text;
  } catch {
    // Said below.
  }
  throw new ToolError('not_text', `${path} is not a text file. Use a tool made for its type.`);
}

/** At most so many lines. A line that is cut is left out for the next part, unless it is the only one. */
function firstLines(text: string, lines: number, isEnd: boolean): string {
  let end = 0;
  for (let count = 0; count < lines; count += 1) {
    const next = text.indexOf('\n', end);
    if (next < 0) return isEnd || end === 0 ? text : text.slice(0, end);
    end = next + 1;
  }
  return text.slice(0, end);
}
