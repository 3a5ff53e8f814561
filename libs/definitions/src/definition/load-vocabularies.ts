import { vocabularySchema } from '@phaseline/contracts';
import { VOCABULARIES_DIRECTORY } from '@phaseline/domain';
import { InvalidDefinitions } from '../definition-errors.js';
import { getDefinedName, loadFolder, type FolderEntry } from '../file/load-folder.js';
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
export function loadVocabularies(agentDirs: readonly string[]): Promise<readonly LoadedVocabulary[]> {
  return loadFolder(agentDirs, VOCABULARIES_DIRECTORY, readVocabulary);
}

async function readVocabulary(entry: FolderEntry): Promise<LoadedVocabulary> {
  const name = getDefinedName(entry);
  const { value, problemAt } = await readYamlFile(entry.file, vocabularySchema, { within: entry.agentDir });
  if (value.name !== name) {
    const message = `name: expected '${name}' like the name of the file, found '${value.name}'`;
    throw new InvalidDefinitions([problemAt(['name'], message)]);
  }
  const content = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  return { name, file: { path: `${VOCABULARIES_DIRECTORY}/${name}.json`, content } };
}
