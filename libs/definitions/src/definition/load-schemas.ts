import type { JsonObject, JsonValue } from '@phaseline/basics';
import { findAuthorSchemaProblem } from '@phaseline/checks';
import { InvalidDefinitions } from '../definition-errors.js';
import { loadFolder, type FolderEntry } from '../file/load-folder.js';
import { readTextFile } from '../file/read-text-file.js';

const SCHEMAS_DIRECTORY = 'schemas';
const MAX_SCHEMA_BYTES = 256 * 1024;

/**
 * Loads the JSON Schemas in the folder `schemas` of an agent and of those that it extends, by path, such as `schemas/report.json`. Of
 * those with the same name, the nearest counts. Throws InvalidDefinitions.
 */
export async function loadSchemas(agentDirs: readonly string[]): Promise<Readonly<Record<string, JsonObject>>> {
  const loaded = await loadFolder(agentDirs, SCHEMAS_DIRECTORY, async (entry) => ({
    name: `${SCHEMAS_DIRECTORY}/${entry.entry}`,
    schema: await readSchema(entry),
  }));
  return Object.fromEntries(loaded.map(({ name, schema }) => [name, schema]));
}

async function readSchema({ file, agentDir }: FolderEntry): Promise<JsonObject> {
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
