import { matchesGlob } from '@phaseline/checks';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { listDependencyFolders, verifierDefinitionSchema, type VerifierDefinition } from '@phaseline/contracts';
import { VERIFIERS_DIRECTORY } from '@phaseline/domain';
import { InvalidDefinitions, type DefinitionProblem } from '../definition-errors.js';
import { readYamlFile } from '../yaml/read-yaml-file.js';

/**
 * Loads the verifiers in the folder `verifiers` of an agent and of those that it extends, in order of their names. Of those with the same name,
 * the nearest counts. Throws InvalidDefinitions.
 */
export async function loadVerifiers(agentDirs: readonly string[]): Promise<readonly VerifierDefinition[]> {
  const byName = new Map<string, VerifierDefinition>();
  const problems: DefinitionProblem[] = [];
  for (const agentDir of new Set(agentDirs)) {
    const folder = join(agentDir, VERIFIERS_DIRECTORY);
    for (const entry of await listFiles(folder)) {
      try {
        const verifier = await readVerifier(join(folder, entry), entry, agentDir);
        byName.set(verifier.name, verifier);
      } catch (error) {
        if (!(error instanceof InvalidDefinitions)) throw error;
        problems.push(...error.problems);
      }
    }
  }
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readVerifier(file: string, entry: string, within: string): Promise<VerifierDefinition> {
  const [, name] = /^(.+)\.(?:ya?ml|json)$/.exec(entry) ?? [];
  if (name === undefined) throw new InvalidDefinitions([{ file, message: 'expected a .yaml or .json file' }]);
  const { value, problemAt } = await readYamlFile(file, verifierDefinitionSchema, { within });
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
