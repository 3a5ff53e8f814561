import type { JsonObject, JsonValue } from '@phaseline/domain';

/** A larger schema would take more of the context than its tool is worth. */
const MAX_SCHEMA_CHARACTERS = 30_000;
const ANYTHING: JsonObject = { type: 'object', properties: {}, additionalProperties: true };
const COMBINING = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * A server's input schema as model servers take it: an object at the top, without alternatives there. Where alternatives
 * stood, every property of any of them may be given, and those that all of them need must be. What cannot be understood
 * takes anything; the server itself judges what it gets.
 */
export function parametersOf(schema: unknown): JsonObject {
  if (!isObject(schema)) return ANYTHING;
  let text: string;
  try {
    text = JSON.stringify(schema);
  } catch {
    return ANYTHING;
  }
  if (text.length > MAX_SCHEMA_CHARACTERS) return ANYTHING;
  const { $schema: _draft, $id: _id, ...plain } = JSON.parse(text) as Record<string, JsonValue>;
  const merged = merge(plain, plain, 0);
  if (!merged) return ANYTHING;
  const { $defs, definitions } = plain;
  return { ...merged, ...(isObject($defs) ? { $defs } : {}), ...(isObject(definitions) ? { definitions } : {}) };
}

/** One object out of a schema and its alternatives; `undefined` where it stands for something that is no object. */
function merge(schema: JsonObject, root: JsonObject, depth: number): JsonObject | undefined {
  if (depth > 8) return undefined;
  if (typeof schema['$ref'] === 'string') {
    const target = pointed(root, schema['$ref']);
    return target && merge(target, root, depth + 1);
  }
  const { type } = schema;
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) return undefined;
  const properties: Record<string, JsonValue> = isObject(schema['properties']) ? { ...schema['properties'] } : {};
  const required = new Set(stringsOf(schema['required']));
  for (const key of COMBINING) {
    const parts = Array.isArray(schema[key]) ? (schema[key] as readonly JsonValue[]) : [];
    const objects = parts.flatMap((part): JsonObject[] => {
      const merged = isObject(part) ? merge(part, root, depth + 1) : undefined;
      return merged ? [merged] : [];
    });
    for (const part of objects) Object.assign(properties, part['properties']);
    const needed = objects.map((part) => new Set(stringsOf(part['required'])));
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
  const loose = [anyOf, oneOf, allOf, not].some((one) => one !== undefined);
  const { additionalProperties, ...kept } = rest as Record<string, JsonValue>;
  return {
    ...kept,
    type: 'object',
    properties,
    ...(required.size > 0 ? { required: [...required].filter((name) => Object.hasOwn(properties, name)) } : {}),
    ...(additionalProperties === undefined || loose ? {} : { additionalProperties }),
  };
}

function pointed(root: JsonObject, pointer: string): JsonObject | undefined {
  if (!pointer.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const part of pointer.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isObject(value) ? value : undefined;
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
