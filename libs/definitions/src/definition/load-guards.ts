import { dirname, join } from 'node:path';
import type { JsonObject } from '@phaseline/basics';
import { findPointProblem, guardFileSchema, GUARDS_DIRECTORY, type Guard, type GuardFile } from '@phaseline/domain';
import { InvalidDefinitions, type DefinitionProblem } from '../definition-errors.js';
import { listFiles } from '../file/load-folder.js';
import { readTextFile } from '../file/read-text-file.js';
import type { ParsedYaml } from '../yaml/parse-yaml.js';
import { readYamlFile } from '../yaml/read-yaml-file.js';
import { hashContent } from './content-hash.js';

/** Maximum number of guards in one folder. */
const MAX_GUARDS = 200;
const MAX_SCRIPT_BYTES = 64 * 1024;

/** Loads the guards of an agent and of those that it extends, in order of their names. Of guards with the same name, the nearest counts. */
export function loadAgentGuards(agentDirs: readonly string[]): Promise<readonly Guard[]> {
  return loadGuardFolders(
    [...new Set(agentDirs)].map((folder) => join(folder, GUARDS_DIRECTORY)),
    'agent',
  );
}

/** Loads the guards in several folders, in order of their names. Of guards with the same name, that in the later folder counts. */
export async function loadGuardFolders(folders: readonly string[], scope: Guard['scope']): Promise<readonly Guard[]> {
  const byName = new Map<string, Guard>();
  for (const folder of folders) for (const guard of await loadGuards(folder, scope)) byName.set(guard.name, guard);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Loads the guards in a folder, in order of their names; none if there is no folder. Throws InvalidDefinitions with file, line and reason. */
export async function loadGuards(folder: string, scope: Guard['scope']): Promise<readonly Guard[]> {
  const guards: Guard[] = [];
  const problems: DefinitionProblem[] = [];
  const names = (await listFiles(folder)).filter((name) => /\.ya?ml$/.test(name));
  if (names.length > MAX_GUARDS)
    problems.push({ file: folder, message: `expected at most ${MAX_GUARDS} guards, found ${names.length}` });
  for (const name of names.slice(0, MAX_GUARDS)) {
    try {
      guards.push(await loadGuard(join(folder, name), scope));
    } catch (error) {
      if (!(error instanceof InvalidDefinitions)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  return guards;
}

/** Reads and checks the file of a guard; `code` is that of its script. Throws InvalidDefinitions with file, line and reason. */
export async function readGuardFile(file: string): Promise<{ readonly value: GuardFile; readonly code?: string }> {
  const folder = dirname(file);
  const read = await readYamlFile(file, guardFileSchema, { within: folder });
  checkGuardFile(file, read);
  const { value } = read;
  if (value.script === undefined) return { value };
  return {
    value,
    code: await readTextFile(join(folder, value.script), { maxBytes: MAX_SCRIPT_BYTES, within: folder }),
  };
}

/** Loads one guard. Throws InvalidDefinitions with file, line and reason. */
export async function loadGuard(file: string, scope: Guard['scope']): Promise<Guard> {
  const { value, code } = await readGuardFile(file);
  const { name, owner, stage, points, onFailure, workflows, when, then } = value;
  const kind: Guard['kind'] = code === undefined ? 'rule' : 'script';
  const body = code === undefined ? { when, then } : { code };
  const decides = {
    name,
    kind,
    points,
    onFailure,
    ...(workflows ? { workflows } : {}),
    // What YAML holds is JSON; the types of the schema have no index signature.
    body: body as unknown as JsonObject,
  };
  return { ...decides, version: hashContent(decides), scope, stage, owner };
}

/** Checks what the schema cannot: the name, exactly one kind, and that the action has an effect at each hook point. */
function checkGuardFile(file: string, { value, problemAt }: ParsedYaml<GuardFile>): void {
  const problems: DefinitionProblem[] = [];
  const expected = /([^/\\]+)\.ya?ml$/.exec(file)?.[1];
  if (value.name !== expected)
    problems.push(problemAt(['name'], `name: expected '${expected}' like the name of the file, found '${value.name}'`));
  const isRule = value.when !== undefined || value.then !== undefined;
  if (isRule === (value.script !== undefined))
    problems.push(problemAt([], "expected either 'when' and 'then', or 'script'"));
  else if (isRule && (value.when === undefined || value.then === undefined))
    problems.push(
      problemAt([], `expected '${value.when === undefined ? 'when' : 'then'}': a rule has conditions and an action`),
    );
  for (const [index, point] of value.points.entries()) {
    const problem = value.then && findPointProblem(value.then, point);
    if (problem !== undefined) problems.push(problemAt(['points', index], `points.${index}: ${problem}`));
  }
  if (problems.length > 0) throw new InvalidDefinitions(problems);
}
