import { z } from 'zod';
import { normaliseFolder, normalisePath } from '@phaseline/workspace';
import { defineInlineTool } from '@phaseline/tools';

const path = z.string().max(500).describe('Path relative to the workspace, such as output/summary.md');

const MAX_LISTED_FILES = 200;

export const listFiles = defineInlineTool({
  name: 'list_files',
  description: 'Lists the files below a folder of the workspace, with their sizes in bytes.',
  input: z.object({ path: z.string().max(500).default('').describe('Folder; empty for the whole workspace') }),
  run: async ({ workspace }, input) => {
    const folder = normaliseFolder(input.path);
    const prefix = folder === '' ? '' : `${folder}/`;
    const names = Object.keys(workspace.tree)
      .filter((name) => name.startsWith(prefix))
      .sort();
    if (names.length === 0)
      return { content: folder === '' ? 'The workspace is empty.' : `There are no files below ${folder}.` };
    const shown = names.slice(0, MAX_LISTED_FILES).map((name) => `${name} (${workspace.tree[name]!.size} bytes)`);
    const hidden = names.length - shown.length;
    return {
      content: [...shown, ...(hidden > 0 ? [`… and ${hidden} more; list a folder to see them.`] : [])].join('\n'),
    };
  },
});

export const fileExists = defineInlineTool({
  name: 'file_exists',
  description: 'Says whether a file exists in the workspace, and its size.',
  input: z.object({ path }),
  run: async ({ workspace }, input) => {
    const clean = normalisePath(input.path);
    const entry = workspace.tree[clean];
    return { content: entry ? `${clean} exists (${entry.size} bytes).` : `${clean} does not exist.` };
  },
});
