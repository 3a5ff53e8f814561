import type { JsonObject, JsonValue } from '@phaseline/basics';

/** Names of arguments that are paths of the workspace. */
const PATH_ARGUMENTS = new Set(['path', 'paths', 'file', 'files', 'folder', 'cwd', 'from', 'to']);

/**
 * Returns the arguments with paths in the form in which the workspace stores them, so that `./src//a.ts` cannot pass a rule about `src/**`. A
 * path that leaves the workspace is refused later, by the tool.
 */
export function normalisePathArguments(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, PATH_ARGUMENTS.has(name) ? normaliseValue(value) : value]),
  );
}

/** Normal form of one path. */
export function normaliseGuardedPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
    .normalize('NFC');
}

function normaliseValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return normaliseGuardedPath(value);
  return Array.isArray(value) ? value.map(normaliseValue) : value;
}
