import { format } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from '@phaseline/basics';
import { z } from 'zod';
import { matchesPattern, findPatternProblem } from './pattern.js';
import { createKeywordsSchema, findProblem, findViolations } from './json-schema.js';

/** Maximum length of a schema of an agent in characters. It is recorded with the definition of every job. */
const MAX_AUTHOR_SCHEMA_CHARACTERS = 64_000;

const definitions = z.record(z.string(), z.unknown());

/** Schemas of agents may have patterns, which are matched in linear time, and references within the schema. */
const authorKeywords = createKeywordsSchema({
  pattern: z.string().optional(),
  $ref: z
    .string()
    .regex(/^#\/\$defs\/[A-Za-z0-9_-]+$/, 'expected a reference such as #/$defs/item')
    .optional(),
  $defs: definitions.optional(),
  $id: z.string().optional(),
});

/** Returns why documents cannot be checked against a JSON Schema of an agent; `undefined` if they can. */
export function findAuthorSchemaProblem(schema: JsonObject): string | undefined {
  const defs = isObject(schema['$defs']) ? schema['$defs'] : {};
  for (const part of [schema, ...Object.values(defs).filter(isObject)]) {
    const problem = findProblem(part, authorKeywords, MAX_AUTHOR_SCHEMA_CHARACTERS);
    if (problem !== undefined) return problem;
  }
  for (const pattern of listValues(schema, 'pattern')) {
    const problem = findPatternProblem(pattern);
    if (problem !== undefined) return `The pattern ${JSON.stringify(pattern)} cannot be used: ${problem}`;
  }
  const missing = listValues(schema, '$ref').find((ref) => !Object.hasOwn(defs, ref.replace('#/$defs/', '')));
  return missing === undefined ? undefined : `The schema has no ${missing}.`;
}

/**
 * Returns how a document violates a JSON Schema of an agent for which `findAuthorSchemaProblem` found no problem; empty if it is valid.
 */
export function findAuthorViolations(schema: JsonObject, value: JsonValue): readonly string[] {
  try {
    return findViolations(toLinear(schema) as JsonObject, value);
  } catch (error) {
    // A schema that refers to itself without going deeper into the document never ends.
    if (error instanceof RangeError) return ['the schema refers to itself without end'];
    throw error;
  }
}

const FORMAT_PREFIX = 're2:';

/** Keywords whose members are names of the author, not keywords. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(['properties', '$defs', 'dependentRequired']);
/** Keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/**
 * Replaces `pattern`, which the validator matches with backtracking, by a format that is matched by RE2. The formats of JSON Schema itself
 * are annotations and are dropped.
 */
function toLinear(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(toLinear);
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, member]): [string, JsonValue][] => {
    if (key === 'format' || key === '$id' || key === '$schema') return [];
    if (key === 'pattern' && typeof member === 'string') return [['format', registerPattern(member)]];
    if (DATA.has(key)) return [[key, member]];
    if (NAMED_SCHEMAS.has(key) && isObject(member))
      return [[key, Object.fromEntries(Object.entries(member).map(([name, inner]) => [name, toLinear(inner)]))]];
    return [[key, toLinear(member)]];
  });
  return Object.fromEntries(members);
}

/** Adds the format of a pattern to those of the validator, which has only one list of them. Returns its name. */
function registerPattern(pattern: string): string {
  const name = `${FORMAT_PREFIX}${pattern}`;
  (format as Record<string, (text: string) => boolean>)[name] ??= (text) => matchesPattern(pattern, text);
  return name;
}

/** All texts that a keyword has anywhere in a schema. */
function listValues(value: JsonValue, keyword: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => listValues(item, keyword));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === keyword && typeof member === 'string') return [member];
    if (DATA.has(key)) return [];
    if (NAMED_SCHEMAS.has(key) && isObject(member))
      return Object.values(member).flatMap((inner) => listValues(inner, keyword));
    return listValues(member, keyword);
  });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
