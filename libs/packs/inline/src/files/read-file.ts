import { MAX_READ_LINES, workspaceSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import type { PhaseState } from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';
import { requireFile, readText } from '@phaseline/workspace';
import { LARGE_FILE_BYTES, readPart, sliceCharacters } from './read-part.js';

/** Limits per read: enough to work on, small enough not to fill the conversation. */
const MAX_CHARACTERS = 16_000;
/** Characters reserved for the line that states which range was read. */
const RANGE_NOTE_CHARACTERS = 160;

export const readFile: ToolRun<typeof workspaceSpec, 'read_file'> = async ({ state, workspace }, input) => {
  const { path, size } = requireFile(workspace, input.path);
  const { from_line: fromLine = 1, to_line: toLine, to_byte: toByte } = input;
  const fromByte = input.from_byte ?? (toByte === undefined ? undefined : 0);
  if (toLine !== undefined && toLine < fromLine)
    throw new ToolError('bad_range', `to_line ${toLine} is before from_line ${fromLine}.`);
  if (fromByte !== undefined && toByte !== undefined && toByte <= fromByte)
    throw new ToolError('bad_range', `to_byte ${toByte} is not after from_byte ${fromByte}.`);
  const maxCharacters = getMaxCharacters(state);
  if (size > LARGE_FILE_BYTES || fromByte !== undefined) {
    const request = { path, size, fromLine, toLine, fromByte, toByte, maxLines: MAX_READ_LINES, maxCharacters };
    return { content: await readPart(workspace, request) };
  }
  const text = await readText(workspace, path);
  return { content: selectLines(text, { path, fromLine, toLine, maxCharacters }) };
};

/** Returns the maximum characters of one read, so that the result never exceeds the result limit itself. */
function getMaxCharacters({ start }: PhaseState): number {
  return Math.max(
    RANGE_NOTE_CHARACTERS,
    Math.min(MAX_CHARACTERS, start.terms.limits.resultCharacters - RANGE_NOTE_CHARACTERS),
  );
}

interface LineRequest {
  readonly path: string;
  readonly fromLine: number;
  readonly toLine: number | undefined;
  readonly maxCharacters: number;
}

/** Returns the whole text unchanged, or some of its lines with a note that states which. */
function selectLines(text: string, { path, fromLine: from, toLine, maxCharacters }: LineRequest): string {
  const lines = text.split('\n');
  // A newline at the end of a file ends its last line; it does not start another.
  const endsWithNewline = lines.at(-1) === '';
  if (endsWithNewline) lines.pop();
  if (lines.length === 0) return `${path} is empty.`;
  if (from > lines.length)
    throw new ToolError('no_such_line', `${path} has ${lines.length} lines; from_line ${from} is after the end.`);
  const wanted = Math.min(toLine ?? lines.length, lines.length);
  let to = Math.min(wanted, from + MAX_READ_LINES - 1);
  let body = lines.slice(from - 1, to).join('\n');
  while (body.length > maxCharacters && to > from) {
    to = from + Math.max(0, Math.floor(((to - from + 1) * maxCharacters) / body.length) - 1);
    body = lines.slice(from - 1, to).join('\n');
  }
  if (body.length > maxCharacters) {
    const shown = sliceCharacters(body, maxCharacters);
    const before = lines.slice(0, from - 1).reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
    const next = before + Buffer.byteLength(shown);
    return `${shown}\n[line ${from} of ${lines.length}, truncated. Continue with from_byte ${next}.]`;
  }
  if (from === 1 && to === lines.length) return text;
  const rest = to < lines.length ? ` Continue with from_line ${to + 1}.` : '';
  const ending = to === lines.length && !endsWithNewline ? ', no newline at the end' : '';
  return `${body}\n[lines ${from} to ${to} of ${lines.length}${ending}.${rest}]`;
}
