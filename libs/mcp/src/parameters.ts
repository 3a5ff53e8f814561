import type { JsonObject, JsonValue } from '@phaseline/basics';

/** Maximum size of a schema. A larger one would take too much of the context. */
const MAX_SCHEMA_CHARACTERS = 30_000;
const ANY_OBJECT: JsonObject = { type: 'object', properties: {}, additionalProperties: true };
const COMBINING_KEYWORDS = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * Converts a server's input schema into one that model servers accept: an object without alternatives at the top level.
 * Alternatives are merged: the properties of all of them are allowed, and those that all of them require are required. A
 * schema that cannot be converted becomes one that allows any object; the MCP server validates the arguments itself.
 */
export function toParametersSchema(schema: unknown): JsonObject {
  if (!isObject(schema)) return ANY_OBJECT;
  let text: string;
  try {
    text = JSON.stringify(schema);
  } catch {
    return ANY_OBJECT;
  }
  if (text.length > MAX_SCHEMA_CHARACTERS) return ANY_OBJECT;
  const { $schema: _draft, $id: _id, ...plain } = JSON.parse(text) as Record<string, JsonValue>;
  const merged = merge(plain, plain, 0);
  if (!merged) return ANY_OBJECT;
  const { $defs, definitions } = plain;
  return { ...merged, ...(isObject($defs) ? { $defs } : {}), ...(isObject(definitions) ? { definitions } : {}) };
}

/** Merges a schema and its alternatives into one object schema. Returns `undefined` if it does not describe an object. */
function merge(schema: JsonObject, root: JsonObject, depth: number): JsonObject | undefined {
  if (depth > 8) return undefined;
  if (typeof schema['$ref'] === 'string') {
    const target = resolvePointer(root, schema['$ref']);
    return target && merge(target, root, depth + 1);
  }
  const { type } = schema;
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) return undefined;
  const properties: Record<string, JsonValue> = isObject(schema['properties']) ? { ...schema['properties'] } : {};
  const required = new Set(readStrings(schema['required']));
  for (const key of COMBINING_KEYWORDS) {
    const parts = Array.isArray(schema[key]) ? (schema[key] as readonly JsonValue[]) : [];
    const objects = parts.flatMap((part): JsonObject[] => {
      const merged = isObject(part) ? merge(part, root, depth + 1) : undefined;
      return merged ? [merged] : [];
    });
    for (const part of objects) Object.assign(properties, part['properties']);
    const needed = objects.map((part) => new Set(readStrings(part['required'])));
    for (const name of needed.flatMap((names) => [...names]))
      if (key === 'allOf' || needed.every((names) => names.has(name))) required.add(name);
  }
  const {
    $ref: _ref,
    $defs: _defs,
    definitions: _definitions,
    anyOf,
    oneOf,
    allOf,
    not,
    enum: _enum,
    ...rest
  } = schema;
  const hasAlternatives = [anyOf, oneOf, allOf, not].some((one) => one !== undefined);
  const { additionalProperties, ...others } = rest as Record<string, JsonValue>;
  return {
    ...others,
    type: 'object',
    properties,
    ...(required.size > 0 ? { required: [...required].filter((name) => Object.hasOwn(properties, name)) } : {}),
    ...(additionalProperties === undefined || hasAlternatives ? {} : { additionalProperties }),
  };
}

function resolvePointer(root: JsonObject, pointer: string): JsonObject | undefined {
  if (!pointer.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const part of pointer.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isObject(value) ? value : undefined;
}

function readStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
