import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '@phaseline/contracts';

/** Folders searched for programs. Fixed, so that the environment of the service has no influence. */
const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Returns the folders to search for programs: the given ones first, then those of the system. */
export function buildSearchPath(first: readonly string[]): readonly string[] {
  return [...new Set([...first, ...SYSTEM_PATH])];
}

/** Returns the absolute path of an allowed program. Throws ToolError `not_allowed` or `program_missing`. */
export async function findProgram(
  program: string,
  allow: readonly string[],
  folders: readonly string[],
): Promise<string> {
  if (!allow.includes(program)) {
    const list = allow.length > 0 ? `Allowed programs: ${allow.join(', ')}.` : 'No programs are allowed.';
    throw new ToolError('not_allowed', `The program ${JSON.stringify(program.slice(0, 100))} is not allowed. ${list}`);
  }
  const places = program.startsWith('/') ? [program] : folders.map((folder) => join(folder, program));
  for (const place of places) if (await isProgram(place)) return place;
  throw new ToolError(
    'program_missing',
    `The program ${program} is allowed but not installed here (searched in ${folders.join(', ')}).`,
  );
}

export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
