import { clip, CodedError } from '@phaseline/basics';

/** Thrown for an invalid path. The message goes to the model or the user, so it says what a valid path looks like. */
export class InvalidPath extends CodedError {
  readonly code = 'invalid_path';
}

const MAX_LENGTH = 500;
const MAX_PART_LENGTH = 200;
// Control characters are never needed, and NUL would truncate the name in system calls.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Zero-width characters, direction marks and fillers. They make a name look like another one. */
const INVISIBLE = /[\p{Cf}\u0080-\u009f\u115f\u1160\u2028\u2029\u2800\u3164\uffa0]/u;

/**
 * Normalises the path of a new file. Throws InvalidPath like `workspacePath`, and also for invisible characters. Existing
 * files with such a name can still be read and deleted.
 */
export function normaliseNewPath(path: string): string {
  const clean = normalisePath(path);
  const found = INVISIBLE.exec(clean);
  if (found) {
    const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    throw new InvalidPath(
      `The path ${JSON.stringify(clean.replace(new RegExp(INVISIBLE, 'gu'), '�'))} contains an invisible character (U+${code}, at �). Remove it from the name.`,
    );
  }
  return clean;
}

/**
 * Normalises a workspace path: relative, `/` between parts, no `.` or `..`, and NFC, so that names that look alike are equal.
 * A leading `./`, doubled slashes and a trailing slash are removed. Throws InvalidPath for anything that could lead out of
 * the workspace.
 */
export function normalisePath(path: string): string {
  const shown = JSON.stringify(clip(path, 80));
  if (path.trim() === '')
    throw new InvalidPath('The path is empty. Give a path relative to the workspace, such as output/summary.md.');
  if (path.length > MAX_LENGTH)
    throw new InvalidPath(`The path has ${path.length} characters; at most ${MAX_LENGTH} are allowed.`);
  if (CONTROL.test(path) || !path.isWellFormed())
    throw new InvalidPath(`The path ${shown} contains control characters.`);
  if (path.includes('\\')) throw new InvalidPath(`The path ${shown} contains a backslash. Use / between folders.`);
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) {
    throw new InvalidPath(
      `The path ${shown} is absolute. Paths are relative to the workspace, such as output/summary.md.`,
    );
  }
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.some((part) => part.trim() === ''))
    throw new InvalidPath(`A part of ${shown} is blank. Every folder and file needs a name.`);
  if (parts.includes('..')) throw new InvalidPath(`The path ${shown} leaves the workspace. Do not use "..".`);
  if (parts.length === 0) throw new InvalidPath(`The path ${shown} refers to the workspace itself, not to a file.`);
  if (parts.some((part) => part.length > MAX_PART_LENGTH))
    throw new InvalidPath(`A part of ${shown} is longer than ${MAX_PART_LENGTH} characters.`);
  return parts.join('/').normalize('NFC');
}

/** Normalises a folder path. Unlike a file path, it may be the workspace itself (`''`, `.`, `/`), which is returned as `''`. */
export function normaliseFolder(path: string): string {
  return ['', '.', './', '/'].includes(path.trim()) ? '' : normalisePath(path);
}
