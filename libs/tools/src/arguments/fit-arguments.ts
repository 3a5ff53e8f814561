import type { JsonObject, JsonValue } from '@phaseline/basics';

/** Maximum depth of a value that is converted. No tool takes deeper ones. */
const MAX_DEPTH = 8;

/**
 * Converts arguments of a wrong type to the type in the tool's JSON Schema. Models write `"4"` for 4, `"true"` for true, and lists
 * and objects as JSON text. Changes a value only when the schema does not accept its type and the intended value is unambiguous;
 * the validation that follows handles everything else.
 */
export function fitArguments(schema: JsonObject, args: JsonObject): JsonObject {
  const fitted = fitValue(schema, args, 0);
  return isObject(fitted) ? fitted : args;
}

/** Returns the names of arguments that the schema does not define and the tool would silently ignore. */
export function findUnknownArguments(schema: JsonObject, args: JsonObject): readonly string[] {
  const { properties, additionalProperties } = schema;
  if (!isObject(properties) || (additionalProperties !== undefined && additionalProperties !== false)) return [];
  return Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
}

function fitValue(schema: JsonValue | undefined, value: JsonValue, depth: number): JsonValue {
  if (!isObject(schema) || depth > MAX_DEPTH) return value;
  const types = acceptedTypes(schema);
  const read = types.size > 0 && !acceptsType(types, value) ? convertValue(types, value) : value;
  if (Array.isArray(read)) {
    const { items } = schema;
    return isObject(items) ? read.map((item) => fitValue(items, item as JsonValue, depth + 1)) : read;
  }
  const { properties } = schema;
  if (!isObject(read) || !isObject(properties)) return read;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    Object.entries(read).flatMap(([name, member]): [string, JsonValue][] => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      // Models send null for an argument that they want to omit.
      if (member === null && isObject(own) && !acceptsType(acceptedTypes(own), null) && !required.includes(name))
        return [];
      return [[name, fitValue(own, member, depth + 1)]];
    }),
  );
}

/** Returns the JSON types that a schema accepts; empty when it does not restrict them. */
function acceptedTypes(schema: JsonObject): ReadonlySet<string> {
  const { type, anyOf, oneOf, enum: values, const: constant } = schema;
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((one) => typeof one === 'string'));
  const members = constant === undefined ? values : [constant];
  if (Array.isArray(members)) return new Set(members.map((one) => typeName(one as JsonValue)));
  const options = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const all = options.map((option) => (isObject(option) ? acceptedTypes(option) : new Set<string>()));
  // One unrestricted option makes the whole schema unrestricted.
  return all.some((one) => one.size === 0) ? new Set() : new Set(all.flatMap((one) => [...one]));
}

function acceptsType(types: ReadonlySet<string>, value: JsonValue): boolean {
  if (types.size === 0) return true;
  const name = typeName(value);
  return types.has(name) || (name === 'integer' && types.has('number'));
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function convertValue(types: ReadonlySet<string>, value: JsonValue): JsonValue {
  if (typeof value === 'string') {
    const text = value.trim();
    if ((types.has('number') || types.has('integer')) && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) {
      const number = Number(text);
      return types.has('number') || Number.isInteger(number) ? number : value;
    }
    if (types.has('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
    if ((types.has('array') && text.startsWith('[')) || (types.has('object') && text.startsWith('{')))
      return tryParseJson(text) ?? value;
    return value;
  }
  if ((typeof value === 'number' || typeof value === 'boolean') && types.has('string')) return String(value);
  return value;
}

function tryParseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
