import { toSnakeKey } from './snake-case.js';

type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose members are names of fields; the values are schemas. */
const FIELD_KEYWORDS: ReadonlySet<string> = new Set(['properties', 'dependentSchemas']);

/**
 * Returns a JSON Schema of the snake_case form of what a schema describes, for the arguments and results of tools. Only names of fields are
 * renamed: keywords such as `additionalProperties` and values of `enum` stay as they are.
 */
export function toSnakeCaseSchema(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, renameKeyword(key, value)]));
}

function renameKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'required' && Array.isArray(value)) return value.map((name: unknown) => toSnakeKey(String(name)));
  if (keyword === 'enum' || keyword === 'const' || keyword === 'default') return value;
  if (Array.isArray(value)) return value.map((item: unknown) => (isSchema(item) ? toSnakeCaseSchema(item) : item));
  if (!isSchema(value)) return value;
  if (!FIELD_KEYWORDS.has(keyword)) return toSnakeCaseSchema(value);
  const fields = Object.entries(value).map(([name, field]) => [
    toSnakeKey(name),
    isSchema(field) ? toSnakeCaseSchema(field) : field,
  ]);
  return Object.fromEntries(fields) as Schema;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
