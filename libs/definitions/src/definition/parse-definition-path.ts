import { delimiter } from 'node:path';

/** One folder, or several. Definitions in later folders override those of the same name in earlier ones. */
export type DefinitionPath = string | readonly string[];

/** Returns the folders of a path as a list. */
export function listFolders(path: DefinitionPath): readonly string[] {
  return typeof path === 'string' ? [path] : path;
}

/** Parses a setting such as `/etc/agents:/home/me/agents`, and puts the folder of shipped definitions first, if given. */
export function parseDefinitionPath(setting: string | undefined, shipped: string | undefined): readonly string[] {
  const given = (setting ?? '')
    .split(delimiter)
    .map((folder) => folder.trim())
    .filter((folder) => folder !== '');
  return shipped === undefined || given.includes(shipped) ? given : [shipped, ...given];
}
