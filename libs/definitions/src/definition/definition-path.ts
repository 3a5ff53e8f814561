import { delimiter } from 'node:path';

/** One folder, or several of which a later one overrides the ones before it, name by name. */
export type DefinitionPath = string | readonly string[];

/** The folders of a path. */
export function foldersOf(path: DefinitionPath): readonly string[] {
  return typeof path === 'string' ? [path] : path;
}

/** The folders that a setting such as `/etc/agents:/home/me/agents` names, upon the ones that ship where they are wanted. */
export function definitionPath(setting: string | undefined, shipped: string | undefined): readonly string[] {
  const given = (setting ?? '')
    .split(delimiter)
    .map((folder) => folder.trim())
    .filter((folder) => folder !== '');
  return shipped === undefined || given.includes(shipped) ? given : [shipped, ...given];
}
