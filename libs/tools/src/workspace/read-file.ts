import { z } from 'zod';
import type { PhaseState } from '@phaseline/domain';
import { logTool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { fileEntry, readText } from './file-text.js';
import { LARGE_FILE_BYTES, readPart, wholeCharacters } from './read-part.js';

/** Enough to work on, small enough not to fill the conversation; ranges reach the rest. */
const MAX_LINES = 400;
const MAX_CHARACTERS = 16_000;
/** For the line that says what was read. */
const REMARK_CHARACTERS = 160;

export const readFile = logTool({
  name: 'read_file',
  description: `Reads a text file of the workspace. Long files come ${MAX_LINES} lines at a time: ask for more with from_line and to_line, or with from_byte and to_byte where lines are long.`,
  readsAgain: true,
  input: z.object({
    path: z.string().max(500).describe('Path relative to the workspace, such as output/summary.md'),
    from_line: z.int().min(1).optional().describe('First line to read, counted from 1'),
    to_line: z.int().min(1).optional().describe('Last line to read, included'),
    from_byte: z
      .int()
      .min(0)
      .optional()
      .describe('In place of lines: the byte to begin with, counted from 0, as a read before says'),
    to_byte: z.int().min(1).optional().describe('With from_byte: where to end, not included'),
  }),
  run: async ({ state, workspace }, input) => {
    const { path, size } = fileEntry(workspace, input.path);
    const { from_line: fromLine = 1, to_line: toLine, to_byte: toByte } = input;
    const fromByte = input.from_byte ?? (toByte === undefined ? undefined : 0);
    if (toLine !== undefined && toLine < fromLine)
      throw new ToolError('bad_range', `to_line ${toLine} is before from_line ${fromLine}.`);
    if (fromByte !== undefined && toByte !== undefined && toByte <= fromByte)
      throw new ToolError('bad_range', `to_byte ${toByte} is not behind from_byte ${fromByte}.`);
    const maxCharacters = charactersAtOnce(state);
    if (size > LARGE_FILE_BYTES || fromByte !== undefined) {
      const asked = { path, size, fromLine, toLine, fromByte, toByte, maxLines: MAX_LINES, maxCharacters };
      return { content: await readPart(workspace, asked) };
    }
    const text = await readText(workspace, path);
    return { content: linesOf(text, { path, fromLine, toLine, maxCharacters }) };
  },
});

/** What one read may give, so that its result is never too long itself. */
function charactersAtOnce({ start }: PhaseState): number {
  return Math.max(REMARK_CHARACTERS, Math.min(MAX_CHARACTERS, start.limits.resultCharacters - REMARK_CHARACTERS));
}

interface LinesAsked {
  readonly path: string;
  readonly fromLine: number;
  readonly toLine: number | undefined;
  readonly maxCharacters: number;
}

/** The whole text as it is, or some of its lines with a word on which they are. */
function linesOf(text: string, { path, fromLine: from, toLine, maxCharacters }: LinesAsked): string {
  const lines = text.split('\n');
  // A newline at the end of a file ends its last line; it does not begin another.
  const isEnded = lines.at(-1) === '';
  if (isEnded) lines.pop();
  if (lines.length === 0) return `${path} is empty.`;
  if (from > lines.length)
    throw new ToolError('no_such_line', `${path} has ${lines.length} lines; from_line ${from} is behind its end.`);
  const wanted = Math.min(toLine ?? lines.length, lines.length);
  let to = Math.min(wanted, from + MAX_LINES - 1);
  let body = lines.slice(from - 1, to).join('\n');
  while (body.length > maxCharacters && to > from) {
    to = from + Math.max(0, Math.floor(((to - from + 1) * maxCharacters) / body.length) - 1);
    body = lines.slice(from - 1, to).join('\n');
  }
  if (body.length > maxCharacters) {
    const shown = wholeCharacters(body, maxCharacters);
    const before = lines.slice(0, from - 1).reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
    const next = before + Buffer.byteLength(shown);
    return `${shown}\n[line ${from} of ${lines.length}, which is longer. Go on with from_byte ${next}.]`;
  }
  if (from === 1 && to === lines.length) return text;
  const rest = to < lines.length ? ` Go on with from_line ${to + 1}.` : '';
  const open = to === lines.length && !isEnded ? ', without a newline at the end' : '';
  return `${body}\n[lines ${from} to ${to} of ${lines.length}${open}.${rest}]`;
}
