import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { vocabularySchema } from '@phaseline/contracts';
import { VOCABULARIES_DIRECTORY } from '@phaseline/domain';
import { InvalidDefinitions, type DefinitionProblem } from '../definition-errors.js';
import { readYamlFile } from '../yaml/read-yaml-file.js';
import type { AgentFile } from './load-skills.js';

export interface LoadedVocabulary {
  readonly name: string;
  /** The vocabulary as JSON, in the place where the tools of a job read it. */
  readonly file: AgentFile;
}

/**
 * Loads the vocabularies in the folder `vocabularies` of an agent and of those that it extends, in order of their names. Of those
 * with the same name, the nearest counts. Throws InvalidDefinitions.
 */
export async function loadVocabularies(agentDirs: readonly string[]): Promise<readonly LoadedVocabulary[]> {
  const byName = new Map<string, LoadedVocabulary>();
  const problems: DefinitionProblem[] = [];
  for (const agentDir of new Set(agentDirs)) {
    const folder = join(agentDir, VOCABULARIES_DIRECTORY);
    for (const entry of await listFiles(folder)) {
      const [, name] = /^(.+)\.(?:ya?ml|json)$/.exec(entry) ?? [];
      const file = join(folder, entry);
      try {
        if (name === undefined) throw new InvalidDefinitions([{ file, message: 'expected a .yaml or .json file' }]);
        const read = await readYamlFile(file, vocabularySchema, { within: agentDir });
        if (read.value.name !== name)
          throw new InvalidDefinitions([
            read.problemAt(['name'], `name: expected '${name}' like the name of the file, found '${read.value.name}'`),
          ]);
        const content = Buffer.from(`${JSON.stringify(read.value, null, 2)}\n`);
        byName.set(name, { name, file: { path: `${VOCABULARIES_DIRECTORY}/${name}.json`, content } });
      } catch (error) {
        if (!(error instanceof InvalidDefinitions)) throw error;
        problems.push(...error.problems);
      }
    }
  }
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => !name.startsWith('.')).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new InvalidDefinitions([{ file: folder, message: `cannot be read (${code ?? String(error)})` }]);
  }
}
