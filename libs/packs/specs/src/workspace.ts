import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Maximum lines that one call of `read_file` returns. */
export const MAX_READ_LINES = 400;

const path = z.string().max(500).describe('Path relative to the workspace, such as output/summary.md');
const content = z.string().max(2_000_000);

/** Tools for the files of the job. */
export const workspaceSpec = declarePack('workspace', {
  read_file: {
    lane: 'inline',
    description: `Reads a text file of the workspace. Long files are returned ${MAX_READ_LINES} lines at a time. Read the rest with from_line and to_line, or with from_byte and to_byte if lines are long.`,
    traits: ['reads_stored_content'],
    input: z.object({
      path,
      from_line: z.int().min(1).optional().describe('First line to read, counted from 1'),
      to_line: z.int().min(1).optional().describe('Last line to read, inclusive'),
      from_byte: z
        .int()
        .min(0)
        .optional()
        .describe('First byte to read, counted from 0, instead of lines. Take it from the previous result'),
      to_byte: z.int().min(1).optional().describe('With from_byte: the end, exclusive'),
    }),
  },
  write_file: {
    lane: 'inline',
    description: 'Writes a text file of the workspace, replacing its previous content. Creates missing folders.',
    input: z.object({ path, content }),
  },
  append_file: {
    lane: 'inline',
    description: 'Appends text to a file of the workspace. Creates the file if it does not exist.',
    input: z.object({ path, content }),
  },
  edit_file: {
    lane: 'inline',
    description: 'Replaces a passage of a text file. old_text must occur exactly once, unless replace_all is true.',
    input: z.object({
      path,
      old_text: z.string().min(1).max(200_000).describe('The text to replace, exactly as in the file'),
      new_text: z.string().max(200_000),
      replace_all: z.boolean().default(false),
    }),
  },
  list_files: {
    lane: 'inline',
    description: 'Lists the files in a folder of the workspace and its subfolders, with their sizes in bytes.',
    input: z.object({ path: z.string().max(500).default('').describe('Folder; empty for the whole workspace') }),
  },
  search_files: {
    lane: 'inline',
    description: 'Searches the text files of the workspace, line by line, for a text or a regular expression.',
    input: z.object({
      query: z.string().min(1).max(500),
      path: z.string().max(500).default('').describe('Folder or file to search; empty for the whole workspace'),
      regex: z.boolean().default(false).describe('Treat the query as a regular expression'),
      case_sensitive: z.boolean().default(false),
    }),
  },
  file_exists: {
    lane: 'inline',
    description: 'Reports whether a file exists in the workspace, and its size.',
    input: z.object({ path }),
  },
  delete_file: {
    lane: 'inline',
    description: 'Deletes a file of the workspace.',
    input: z.object({ path }),
  },
});
