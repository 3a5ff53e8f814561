import type { JsonObject } from '@phaseline/basics';

/** A call of one of our tools. */
export interface OwnCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** What the mapping needs to know beside the call. */
export interface CallSurroundings {
  /** The working directory as hooks see it, an absolute path. */
  readonly root: string;
  /** Returns the text of a file of the workspace; `undefined` if there is none, or if it is not text. */
  readText(path: string): string | undefined;
}

/** Makes a path of the workspace absolute, as the protocol shows paths. */
export function toAbsolute(root: string, path: string): string {
  const clean = path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  return clean === '' ? root : `${root}/${clean}`;
}

/** Makes an absolute or relative path one of the workspace; `undefined` if it lies outside. */
export function toRelative(root: string, path: string): string | undefined {
  if (path === root || path === `${root}/`) return '';
  if (path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  return path.startsWith('/') || path.startsWith('~') ? undefined : path.replace(/^(?:\.\/)+/, '');
}
