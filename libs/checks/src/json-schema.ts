import { Validator, type Schema } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from '@phaseline/basics';
import { z } from 'zod';

const count = z.int().min(0);
const typeName = z.enum(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

/**
 * The keywords of JSON Schema (draft 2020-12) that are applied, with the shape of their values. A validator ignores what it does not
 * know, so a schema with a misspelt keyword would accept everything.
 */
export function createKeywordsSchema(additional: z.ZodRawShape = {}): z.ZodType {
  const schemaOrBoolean: z.ZodType = z.lazy(() => z.union([z.boolean(), keywords]));
  const schemasByName = z.record(z.string(), schemaOrBoolean);
  const schemas = z.array(schemaOrBoolean).min(1);
  const keywords = z.strictObject({
    type: z.union([typeName, z.array(typeName).min(1)]).optional(),
    enum: z.array(z.unknown()).min(1).optional(),
    const: z.unknown().optional(),
    properties: schemasByName.optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: schemaOrBoolean.optional(),
    propertyNames: schemaOrBoolean.optional(),
    minProperties: count.optional(),
    maxProperties: count.optional(),
    dependentRequired: z.record(z.string(), z.array(z.string())).optional(),
    items: schemaOrBoolean.optional(),
    prefixItems: schemas.optional(),
    contains: schemaOrBoolean.optional(),
    minContains: count.optional(),
    maxContains: count.optional(),
    minItems: count.optional(),
    maxItems: count.optional(),
    uniqueItems: z.boolean().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    exclusiveMaximum: z.number().optional(),
    multipleOf: z.number().positive().optional(),
    minLength: count.optional(),
    maxLength: count.optional(),
    format: z.string().optional(),
    allOf: schemas.optional(),
    anyOf: schemas.optional(),
    oneOf: schemas.optional(),
    not: schemaOrBoolean.optional(),
    if: schemaOrBoolean.optional(),
    then: schemaOrBoolean.optional(),
    else: schemaOrBoolean.optional(),
    $schema: z.string().optional(),
    $comment: z.string().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    default: z.unknown().optional(),
    examples: z.array(z.unknown()).optional(),
    deprecated: z.boolean().optional(),
    readOnly: z.boolean().optional(),
    writeOnly: z.boolean().optional(),
    ...additional,
  });
  return keywords;
}

const keywordsSchema = createKeywordsSchema();

/** Maximum length of a schema in characters. */
const MAX_SCHEMA_CHARACTERS = 10_000;
/** Depth to which a schema may be nested. Each level is a level of recursion in every check. */
const MAX_SCHEMA_DEPTH = 32;
/** Keywords that make a check arbitrarily slow, or read something outside the schema. */
const REFUSED_KEYWORDS: ReadonlySet<string> = new Set(['pattern', 'patternProperties', '$ref', '$dynamicRef', '$id']);

/** Returns why values cannot be checked against a JSON Schema that comes from a model or a server; `undefined` if they can. */
export function findSchemaProblem(schema: JsonObject): string | undefined {
  return findProblem(schema, keywordsSchema, MAX_SCHEMA_CHARACTERS);
}

/** Returns why a schema has a keyword that `keywords` lacks, or is too large; `undefined` if it has none. */
export function findProblem(schema: JsonObject, keywords: z.ZodType, maxCharacters: number): string | undefined {
  if (JSON.stringify(schema).length > maxCharacters) return `The schema is longer than ${maxCharacters} characters.`;
  if (getDepth(schema) > MAX_SCHEMA_DEPTH) return `The schema is nested deeper than ${MAX_SCHEMA_DEPTH} levels.`;
  const parsed = keywords.safeParse(schema);
  if (parsed.success) return undefined;
  const unknown = findUnknownKeyword(parsed.error.issues);
  if (unknown === undefined) return `The schema is not a usable JSON Schema: ${describeIssue(parsed.error.issues[0]!)}`;
  return REFUSED_KEYWORDS.has(unknown)
    ? `The schema may not use ${unknown}.`
    : `The schema is not a usable JSON Schema: it has no keyword ${JSON.stringify(unknown.slice(0, 100))}.`;
}

/**
 * Returns how a value violates a JSON Schema for which `findSchemaProblem` found none, most general first; empty if it is valid. A
 * text names the place of the violation, such as `/items/0: …`.
 */
export function findViolations(schema: JsonObject, value: JsonValue): readonly string[] {
  const { valid, errors } = new Validator(schema as Schema, '2020-12', false).validate(value);
  if (valid) return [];
  // An error of a keyword with subschemas repeats what theirs say.
  const own = errors.filter(
    ({ keywordLocation }) => !errors.some((other) => other.keywordLocation.startsWith(`${keywordLocation}/`)),
  );
  return own.map(({ instanceLocation, error }) => `${instanceLocation.replace(/^#/, '') || 'value'}: ${error}`);
}

function getDepth(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((member) => getDepth(member as JsonValue)));
}

/** Finds the first keyword that is not known, also within the alternatives that a union tried. */
function findUnknownKeyword(issues: readonly z.core.$ZodIssue[]): string | undefined {
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') return issue.keys[0];
    const nested = issue.code === 'invalid_union' ? findUnknownKeyword(issue.errors.flat()) : undefined;
    if (nested !== undefined) return nested;
  }
  return undefined;
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
