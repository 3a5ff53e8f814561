import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '@phaseline/basics';
import { findAuthorSchemaProblem } from '@phaseline/checks';
import { InvalidDefinitions, type DefinitionProblem } from '../definition-errors.js';
import { readTextFile } from '../file/read-text-file.js';

const SCHEMAS_DIRECTORY = 'schemas';
const MAX_SCHEMA_BYTES = 256 * 1024;

/**
 * Loads the JSON Schemas in the folder `schemas` of an agent and of those that it extends, by path, such as `schemas/report.json`. Of
 * those with the same name, the nearest counts. Throws InvalidDefinitions.
 */
export async function loadSchemas(agentDirs: readonly string[]): Promise<Readonly<Record<string, JsonObject>>> {
  const byPath = new Map<string, JsonObject>();
  const problems: DefinitionProblem[] = [];
  for (const agentDir of new Set(agentDirs)) {
    for (const entry of await listFiles(join(agentDir, SCHEMAS_DIRECTORY))) {
      const file = join(agentDir, SCHEMAS_DIRECTORY, entry);
      try {
        byPath.set(`${SCHEMAS_DIRECTORY}/${entry}`, await loadSchema(file, agentDir));
      } catch (error) {
        if (!(error instanceof InvalidDefinitions)) throw error;
        problems.push(...error.problems);
      }
    }
  }
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  return Object.fromEntries([...byPath].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function loadSchema(file: string, agentDir: string): Promise<JsonObject> {
  const reject = (message: string): never => {
    throw new InvalidDefinitions([{ file, line: 1, message }]);
  };
  if (!file.endsWith('.json')) reject('expected a .json file with a JSON Schema');
  const text = await readTextFile(file, { maxBytes: MAX_SCHEMA_BYTES, within: agentDir });
  let schema: JsonValue;
  try {
    schema = JSON.parse(text) as JsonValue;
  } catch (error) {
    return reject(`is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return reject('expected a JSON Schema, an object');
  const problem = findAuthorSchemaProblem(schema as JsonObject);
  return problem === undefined ? (schema as JsonObject) : reject(problem);
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
