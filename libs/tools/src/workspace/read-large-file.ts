import type { WorkspaceReader } from '@phaseline/workspace';
import { ToolError } from '../tool-error.js';

/** A file above this is read in parts: whole, it would stand in memory for every call. */
export const LARGE_FILE_BYTES = 1024 * 1024;

/** Read at once while looking for a line. */
const STEP_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

export interface LargeRead {
  readonly path: string;
  /** Of the file, in bytes. */
  readonly size: number;
  /** Where to begin: a line, counted from 1, or a byte, counted from 0. */
  readonly fromLine: number;
  readonly fromByte: number | undefined;
  /** The last line, included; only counts where `fromByte` is missing. */
  readonly toLine: number | undefined;
  readonly maxLines: number;
  readonly maxCharacters: number;
}

/**
 * A part of a large text file, with a word on how to go on. It reads up to the lines that are wanted, or from the byte that
 * is wanted, and nothing behind them.
 */
export async function readLargeFile(workspace: WorkspaceReader, asked: LargeRead): Promise<string> {
  const { path, size, fromByte, maxCharacters } = asked;
  const start = fromByte ?? (await offsetOfLine(workspace, asked));
  if (start >= size)
    throw new ToolError('bad_range', `${path} has ${size} bytes; from_byte ${start} is behind its end.`);
  // A character has at most four bytes.
  const bytes = await workspace.readRange(path, { offset: start, length: maxCharacters * 4 });
  const text = textOf(path, bytes ?? new Uint8Array(), start > 0);
  const wanted = asked.toLine === undefined || fromByte !== undefined ? Infinity : asked.toLine - asked.fromLine + 1;
  const cut = text.slice(0, maxCharacters);
  // Not between the two halves of a character.
  const clean = cut.isWellFormed() ? cut : cut.slice(0, -1);
  const isEnd = start + (bytes?.byteLength ?? 0) >= size && clean.length === text.length;
  const shown = firstLines(clean, Math.min(asked.maxLines, wanted), isEnd);
  const end = Math.min(size, start + skipped(bytes, start > 0) + Buffer.byteLength(shown));
  const rest = end >= size ? '' : ` Go on with from_byte ${end}.`;
  return `${shown.endsWith('\n') ? shown.slice(0, -1) : shown}\n[bytes ${start} to ${end} of ${size}.${rest}]`;
}

/** Throws ToolError when the file has fewer lines. */
async function offsetOfLine(workspace: WorkspaceReader, { path, size, fromLine }: LargeRead): Promise<number> {
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

/** Bytes at the beginning that belong to a character which began before. */
function skipped(bytes: Uint8Array | undefined, inMiddle: boolean): number {
  let count = 0;
  while (inMiddle && bytes && count < 3 && (bytes[count]! & 0xc0) === 0x80) count += 1;
  return count;
}

function textOf(path: string, bytes: Uint8Array, inMiddle: boolean): string {
  try {
    // `stream`: a character that is cut at the end is no mistake.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(skipped(bytes, inMiddle)),
      { stream: true },
    );
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
