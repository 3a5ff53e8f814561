import { matchesGlob } from '@phaseline/checks';
import { listDependencyFolders, verifierDefinitionSchema, type VerifierDefinition } from '@phaseline/contracts';
import { VERIFIERS_DIRECTORY } from '@phaseline/domain';
import { InvalidDefinitions } from '../definition-errors.js';
import { getDefinedName, loadFolder, type FolderEntry } from '../file/load-folder.js';
import { readYamlFile } from '../yaml/read-yaml-file.js';

/**
 * Loads the verifiers in the folder `verifiers` of an agent and of those that it extends, in order of their names. Of those with the same name,
 * the nearest counts. Throws InvalidDefinitions.
 */
export function loadVerifiers(agentDirs: readonly string[]): Promise<readonly VerifierDefinition[]> {
  return loadFolder(agentDirs, VERIFIERS_DIRECTORY, readVerifier);
}

async function readVerifier(entry: FolderEntry): Promise<VerifierDefinition> {
  const name = getDefinedName(entry);
  const { value, problemAt } = await readYamlFile(entry.file, verifierDefinitionSchema, { within: entry.agentDir });
  const fail = (path: readonly PropertyKey[], message: string): InvalidDefinitions =>
    new InvalidDefinitions([problemAt(path, `${path.join('.')}: ${message}`)]);
  if (value.name !== name) throw fail(['name'], `expected '${name}' like the name of the file, found '${value.name}'`);
  const program = value.argv?.[0];
  if (program !== undefined && isReplaceable(program, value))
    throw fail(
      ['argv', 0],
      `the agent could replace '${program}'; add it to 'inputs', or name a program of the machine or of a folder of dependencies`,
    );
  return value;
}

/** Whether a program is a file of the workspace that is neither an input nor a dependency. */
function isReplaceable(program: string, definition: VerifierDefinition): boolean {
  if (program.startsWith('/') || !program.includes('/')) return false;
  const path = program.replace(/^\.\//, '');
  const { inputs = [], configuration = [] } = definition;
  if ([...inputs, ...configuration].some((glob) => matchesGlob(glob, path))) return false;
  const dependencies = listDependencyFolders(definition);
  return !path.split('/').some((part) => dependencies.includes(part));
}
