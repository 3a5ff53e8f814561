import { findPatternProblems, patternDefinitionSchema, PATTERNS_DIRECTORY } from '@phaseline/planning';
import { InvalidDefinitions } from '../definition-errors.js';
import { getDefinedName, loadFolder, type FolderEntry } from '../file/load-folder.js';
import { readYamlFile } from '../yaml/read-yaml-file.js';
import type { AgentFile } from './load-skills.js';

/**
 * Loads the patterns of plans in the folder `patterns` of an agent and of those that it extends, as JSON for the tools of its jobs. Of those with
 * the same name, the nearest counts. Throws InvalidDefinitions, also for a grammar that no plan could fulfil.
 */
export async function loadPatterns(agentDirs: readonly string[]): Promise<readonly AgentFile[]> {
  const loaded = await loadFolder(agentDirs, PATTERNS_DIRECTORY, readPattern);
  return loaded.map(({ file }) => file);
}

async function readPattern(entry: FolderEntry): Promise<{ readonly name: string; readonly file: AgentFile }> {
  const name = getDefinedName(entry);
  const { value, problemAt } = await readYamlFile(entry.file, patternDefinitionSchema, { within: entry.agentDir });
  if (value.pattern !== name && value.pattern !== `proposed:${name}`) {
    const message = `pattern: expected '${name}' like the name of the file, found '${value.pattern}'`;
    throw new InvalidDefinitions([problemAt(['pattern'], message)]);
  }
  const problems = findPatternProblems(value);
  if (problems.length > 0) throw new InvalidDefinitions(problems.map((problem) => problemAt(['pattern'], problem)));
  const content = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  return { name, file: { path: `${PATTERNS_DIRECTORY}/${name}.json`, content } };
}
