import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidDefinitions, type DefinitionProblem } from '../definition-errors.js';

/** One file in a folder of an agent. */
export interface FolderEntry {
  readonly file: string;
  /** Name of the file without its folder. */
  readonly entry: string;
  /** Folder of the agent, which the file may not lead out of. */
  readonly agentDir: string;
}

/**
 * Loads each file in a folder of an agent and of those that it extends, the furthest first: of those with the same name, the nearest counts.
 * Returns them in order of their names. Throws InvalidDefinitions with the problems of all files.
 */
export async function loadFolder<Loaded extends { readonly name: string }>(
  agentDirs: readonly string[],
  directory: string,
  load: (entry: FolderEntry) => Promise<Loaded>,
): Promise<readonly Loaded[]> {
  const byName = new Map<string, Loaded>();
  const problems: DefinitionProblem[] = [];
  for (const agentDir of new Set(agentDirs)) {
    const folder = join(agentDir, directory);
    for (const entry of await listFiles(folder)) {
      try {
        const loaded = await load({ file: join(folder, entry), entry, agentDir });
        byName.set(loaded.name, loaded);
      } catch (error) {
        if (!(error instanceof InvalidDefinitions)) throw error;
        problems.push(...error.problems);
      }
    }
  }
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, loaded]) => loaded);
}

/** Lists the names of the files in a folder that need not exist, except hidden ones. Throws InvalidDefinitions. */
export async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => !name.startsWith('.')).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new InvalidDefinitions([{ file: folder, message: `cannot be read (${code ?? String(error)})` }]);
  }
}

/** The name that a `.yaml` or `.json` file gives what it defines. Throws InvalidDefinitions for other files. */
export function getDefinedName({ file, entry }: FolderEntry): string {
  const [, name] = /^(.+)\.(?:ya?ml|json)$/.exec(entry) ?? [];
  if (name === undefined) throw new InvalidDefinitions([{ file, message: 'expected a .yaml or .json file' }]);
  return name;
}
