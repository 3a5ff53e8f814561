import type { z } from 'zod';
import { readTextFile } from '../file/read-text-file.js';
import { parseYaml, type ParsedYaml } from './parse-yaml.js';
import type { Variables } from './fill-placeholders.js';

export interface ReadYamlOptions {
  readonly variables?: Variables | undefined;
  readonly within?: string | undefined;
}

/** Maximum size of a definition file. The largest shipped definition has 5 KiB. */
export const MAX_DEFINITION_BYTES = 256 * 1024;

/** Reads a YAML file and validates it with a schema. Throws InvalidDefinitions with file, line and what was expected. */
export async function readYamlFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  { variables, within }: ReadYamlOptions,
): Promise<ParsedYaml<z.output<Schema>>> {
  const text = await readTextFile(file, { maxBytes: MAX_DEFINITION_BYTES, within });
  return parseYaml(text, schema, { file, variables });
}
