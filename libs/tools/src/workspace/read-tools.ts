import { z } from 'zod';
import { workspaceFolder, workspacePath } from '@phaseline/workspace';
import { logTool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { fileEntry, readText } from './file-text.js';
import { LARGE_FILE_BYTES, readLargeFile } from './read-large-file.js';

const path = z.string().max(500).describe('Path relative to the workspace, such as output/summary.md');

/** Enough to work on, small enough not to fill the conversation; ranges reach the rest. */
const MAX_LINES = 400;
const MAX_CHARACTERS = 16_000;
const MAX_ENTRIES = 200;

export const readFile = logTool({
  name: 'read_file',
  description: `Reads a text file of the workspace. Long files come ${MAX_LINES} lines at a time: ask for more with from_line and to_line.`,
  input: z.object({
    path,
    from_line: z.int().min(1).optional().describe('First line to read, counted from 1'),
    to_line: z.int().min(1).optional().describe('Last line to read, included'),
    from_byte: z
      .int()
      .min(0)
      .optional()
      .describe('In place of from_line: where to begin, as a read of a large file says'),
  }),
  run: async ({ workspace }, input) => {
    const { path: clean, size } = fileEntry(workspace, input.path);
    if (input.to_line !== undefined && input.to_line < (input.from_line ?? 1))
      throw new ToolError('bad_range', `to_line ${input.to_line} is before from_line ${input.from_line ?? 1}.`);
    if (size > LARGE_FILE_BYTES || input.from_byte !== undefined) {
      const content = await readLargeFile(workspace, {
        path: clean,
        size,
        fromLine: input.from_line ?? 1,
        fromByte: input.from_byte,
        toLine: input.to_line,
        maxLines: MAX_LINES,
        maxCharacters: MAX_CHARACTERS,
      });
      return { content };
    }
    const text = await readText(workspace, input.path);
    const lines = text.split('\n');
    // A newline at the end of a file ends its last line; it does not begin another.
    if (lines.at(-1) === '') lines.pop();
    const from = input.from_line ?? 1;
    if (lines.length === 0) return { content: `${input.path} is empty.` };
    if (from > lines.length)
      throw new ToolError(
        'no_such_line',
        `${input.path} has ${lines.length} lines; from_line ${from} is behind its end.`,
      );
    const wanted = Math.min(input.to_line ?? lines.length, lines.length);
    if (wanted < from) throw new ToolError('bad_range', `to_line ${wanted} is before from_line ${from}.`);
    let to = Math.min(wanted, from + MAX_LINES - 1);
    let body = lines.slice(from - 1, to).join('\n');
    while (body.length > MAX_CHARACTERS && to > from) {
      to = from + Math.max(0, Math.floor(((to - from + 1) * MAX_CHARACTERS) / body.length) - 1);
      body = lines.slice(from - 1, to).join('\n');
    }
    const cut = body.length > MAX_CHARACTERS;
    if (cut) body = body.slice(0, MAX_CHARACTERS);
    const whole = from === 1 && to === lines.length && !cut;
    if (whole) return { content: body };
    const rest = cut ? ' The line is longer and was cut.' : to < lines.length ? ` Go on with from_line ${to + 1}.` : '';
    return { content: `${body}\n[lines ${from} to ${to} of ${lines.length}.${rest}]` };
  },
});

export const listFiles = logTool({
  name: 'list_files',
  description: 'Lists the files below a folder of the workspace, with their sizes in bytes.',
  input: z.object({ path: z.string().max(500).default('').describe('Folder; empty for the whole workspace') }),
  run: async ({ workspace }, input) => {
    const folder = workspaceFolder(input.path);
    const prefix = folder === '' ? '' : `${folder}/`;
    const entries = Object.entries(workspace.tree)
      .filter(([name]) => name.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length === 0)
      return { content: folder === '' ? 'The workspace is empty.' : `There are no files below ${folder}.` };
    const shown = entries.slice(0, MAX_ENTRIES).map(([name, entry]) => `${name} (${entry.size} bytes)`);
    const hidden = entries.length - shown.length;
    return {
      content: [...shown, ...(hidden > 0 ? [`… and ${hidden} more; list a folder to see them.`] : [])].join('\n'),
    };
  },
});

export const fileExists = logTool({
  name: 'file_exists',
  description: 'Says whether a file exists in the workspace, and its size.',
  input: z.object({ path }),
  run: async ({ workspace }, input) => {
    const clean = workspacePath(input.path);
    const entry = workspace.tree[clean];
    return { content: entry ? `${clean} exists (${entry.size} bytes).` : `${clean} does not exist.` };
  },
});
