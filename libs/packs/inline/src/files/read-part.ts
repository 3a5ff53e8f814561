import type { WorkspaceReader } from '@phaseline/workspace';
import { ToolError } from '@phaseline/contracts';

/** Larger files are read in parts, because every call would otherwise hold the whole file in memory. */
export const LARGE_FILE_BYTES = 1024 * 1024;

/** Bytes per read while looking for a line. */
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
/** Maximum bytes per character in UTF-8. */
const MAX_CHARACTER_BYTES = 4;

export interface PartRequest {
  readonly path: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** First line, counted from 1. Ignored when `fromByte` is set. */
  readonly fromLine: number;
  /** First byte, counted from 0. */
  readonly fromByte: number | undefined;
  /** Last line, inclusive. Ignored when `fromByte` is set. */
  readonly toLine: number | undefined;
  /** End of the range, exclusive. Used only with `fromByte`. */
  readonly toByte: number | undefined;
  readonly maxLines: number;
  readonly maxCharacters: number;
}

/**
 * Reads a part of a text file and returns it unchanged, followed by a line that states the range and how to continue. Reads the
 * file only up to the requested lines or bytes. A bound within a character moves to the end of that character, so that adjacent
 * parts neither omit nor repeat anything.
 */
export async function readPart(workspace: WorkspaceReader, request: PartRequest): Promise<string> {
  const { path, size, fromByte, toByte, maxCharacters } = request;
  const offset = fromByte ?? (await findLineOffset(workspace, request));
  if (offset >= size)
    throw new ToolError('bad_range', `${path} has ${size} bytes; from_byte ${offset} is after the end.`);
  const length = Math.min(maxCharacters * MAX_CHARACTER_BYTES, (toByte ?? Infinity) - offset + MAX_CHARACTER_BYTES);
  const bytes = (await workspace.readRange(path, { offset, length })) ?? new Uint8Array();
  const skipped = offset > 0 ? countContinuationBytes(bytes, 0) : 0;
  const start = offset + skipped;
  // Bytes read only to complete the last character belong to the next part.
  const within = toByte === undefined ? bytes.byteLength : findCharacterEnd(bytes, Math.max(skipped, toByte - offset));
  const text = sliceCharacters(decodePart(path, bytes.subarray(skipped, within)), maxCharacters);
  const wanted =
    request.toLine === undefined || fromByte !== undefined ? Infinity : request.toLine - request.fromLine + 1;
  const isEnd = start + Buffer.byteLength(text) >= Math.min(size, toByte ?? size);
  // A range with both ends is limited by characters only; the line limit applies to open ranges.
  const maxLines = toByte === undefined ? Math.min(request.maxLines, wanted) : Infinity;
  const shown = takeLines(text, maxLines, isEnd);
  const end = start + Buffer.byteLength(shown);
  const rest = end >= size ? '' : ` Continue with from_byte ${end}.`;
  return `${shown}\n[bytes ${start} to ${end} of ${size}.${rest}]`;
}

/** Returns the first `length` UTF-16 units of a text, or one fewer when the cut would split a surrogate pair. */
export function sliceCharacters(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** Returns the byte offset of the first requested line. Throws ToolError when the file has fewer lines. */
async function findLineOffset(workspace: WorkspaceReader, { path, size, fromLine }: PartRequest): Promise<number> {
  let line = 1;
  for (let offset = 0; offset < size && line < fromLine; offset += CHUNK_BYTES) {
    const chunk = await workspace.readRange(path, { offset, length: CHUNK_BYTES });
    for (let at = chunk?.indexOf(NEWLINE) ?? -1; chunk && at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
      line += 1;
      if (line === fromLine) return offset + at + 1;
    }
  }
  if (line >= fromLine) return 0;
  throw new ToolError('no_such_line', `${path} has ${line} lines; from_line ${fromLine} is after the end.`);
}

/** Number of bytes from `at` that continue a character which started earlier. */
function countContinuationBytes(bytes: Uint8Array, at: number): number {
  let count = 0;
  while (count < MAX_CHARACTER_BYTES - 1 && ((bytes[at + count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

function findCharacterEnd(bytes: Uint8Array, at: number): number {
  return Math.min(bytes.byteLength, at + countContinuationBytes(bytes, at));
}

function decodePart(path: string, bytes: Uint8Array): string {
  try {
    // `stream`, because a character cut off at the end is not an error.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    if (!text.includes('\0')) return text;
  } catch {
    // Reported below.
  }
  throw new ToolError('not_text', `${path} is not a text file. Use a tool for this file type.`);
}

/** Returns at most `lines` lines. A line that is cut off belongs to the next part, unless it is the only one. */
function takeLines(text: string, lines: number, isEnd: boolean): string {
  let end = 0;
  for (let count = 0; count < lines; count += 1) {
    const next = text.indexOf('\n', end);
    if (next < 0) return isEnd || end === 0 ? text : text.slice(0, end);
    end = next + 1;
  }
  return text.slice(0, end);
}
