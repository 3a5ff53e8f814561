import type { z } from 'zod';
import { readTextFile } from '../file/read-text-file.js';
import { parseYaml, type ParsedYaml } from './parse-yaml.js';
import type { Variables } from './fill-placeholders.js';

export interface ReadYamlOptions {
  readonly variables?: Variables | undefined;
  readonly within?: string | undefined;
  readonly maxBytes?: number | undefined;
}

/** The largest definition that ships has 5 KiB. */
export const MAX_DEFINITION_BYTES = 256 * 1024;

/** A YAML file, checked against a schema. Throws InvalidDefinitions, which names file, line and what was expected. */
export async function readYamlFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  options: ReadYamlOptions = {},
): Promise<ParsedYaml<z.output<Schema>>> {
  const text = await readTextFile(file, { maxBytes: options.maxBytes ?? MAX_DEFINITION_BYTES, within: options.within });
  return parseYaml(text, schema, { file, variables: options.variables });
}
