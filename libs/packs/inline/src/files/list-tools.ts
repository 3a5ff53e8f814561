import { workspaceSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { normaliseFolder, normalisePath } from '@phaseline/workspace';

const MAX_LISTED_FILES = 200;

export const listFiles: ToolRun<typeof workspaceSpec, 'list_files'> = async ({ workspace }, input) => {
  const folder = normaliseFolder(input.path);
  const prefix = folder === '' ? '' : `${folder}/`;
  const names = Object.keys(workspace.tree)
    .filter((name) => name.startsWith(prefix))
    .sort();
  if (names.length === 0)
    return { content: folder === '' ? 'The workspace is empty.' : `There are no files in ${folder}.` };
  const shown = names.slice(0, MAX_LISTED_FILES).map((name) => `${name} (${workspace.tree[name]!.size} bytes)`);
  const hidden = names.length - shown.length;
  return {
    content: [...shown, ...(hidden > 0 ? [`… and ${hidden} more; list a subfolder to see them.`] : [])].join('\n'),
  };
};

export const fileExists: ToolRun<typeof workspaceSpec, 'file_exists'> = async ({ workspace }, input) => {
  const clean = normalisePath(input.path);
  const entry = workspace.tree[clean];
  return { content: entry ? `${clean} exists (${entry.size} bytes).` : `${clean} does not exist.` };
};
