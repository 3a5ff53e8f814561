import type { JsonObject, JsonValue } from '@phaseline/domain';

/** Deeper values are left as they are; no tool takes any. */
const MAX_DEPTH = 8;

/**
 * Arguments with what is almost right put right, by the JSON Schema of the tool: models write `"4"` for 4, `"true"` for true, and
 * a list or an object as the JSON text of it. Only a value of a type that the schema does not take is changed, and only where
 * nothing else can be meant; everything else is left to the check that follows.
 */
export function fitArguments(schema: JsonObject, args: JsonObject): JsonObject {
  const fitted = fit(schema, args, 0);
  return isObject(fitted) ? fitted : args;
}

/** Names of arguments that the schema does not know, and that the tool would pass over without a word. */
export function unknownArguments(schema: JsonObject, args: JsonObject): readonly string[] {
  const { properties, additionalProperties } = schema;
  if (!isObject(properties) || (additionalProperties !== undefined && additionalProperties !== false)) return [];
  return Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
}

function fit(schema: JsonValue | undefined, value: JsonValue, depth: number): JsonValue {
  if (!isObject(schema) || depth > MAX_DEPTH) return value;
  const types = typesOf(schema);
  const read = types.size > 0 && !takes(types, value) ? convert(types, value) : value;
  if (Array.isArray(read)) {
    const { items } = schema;
    return isObject(items) ? read.map((item) => fit(items, item as JsonValue, depth + 1)) : read;
  }
  const { properties } = schema;
  if (!isObject(read) || !isObject(properties)) return read;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    Object.entries(read).flatMap(([name, member]): [string, JsonValue][] => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      // Models send null for an argument that they do not want to give.
      if (member === null && isObject(own) && !takes(typesOf(own), null) && !required.includes(name)) return [];
      return [[name, fit(own, member, depth + 1)]];
    }),
  );
}

/** The JSON types that a schema takes; empty where it does not say. */
function typesOf(schema: JsonObject): ReadonlySet<string> {
  const { type, anyOf, oneOf, enum: values, const: constant } = schema;
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((one) => typeof one === 'string'));
  const members = constant === undefined ? values : [constant];
  if (Array.isArray(members)) return new Set(members.map((one) => typeName(one as JsonValue)));
  const options = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const all = options.map((option) => (isObject(option) ? typesOf(option) : new Set<string>()));
  // An option that takes anything makes the whole take anything.
  return all.some((one) => one.size === 0) ? new Set() : new Set(all.flatMap((one) => [...one]));
}

function takes(types: ReadonlySet<string>, value: JsonValue): boolean {
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

function convert(types: ReadonlySet<string>, value: JsonValue): JsonValue {
  if (typeof value === 'string') {
    const text = value.trim();
    if ((types.has('number') || types.has('integer')) && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) {
      const number = Number(text);
      return types.has('number') || Number.isInteger(number) ? number : value;
    }
    if (types.has('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
    if ((types.has('array') && text.startsWith('[')) || (types.has('object') && text.startsWith('{')))
      return parsed(text) ?? value;
    return value;
  }
  if ((typeof value === 'number' || typeof value === 'boolean') && types.has('string')) return String(value);
  return value;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
