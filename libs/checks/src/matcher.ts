import { toCanonicalJson, type JsonValue } from '@phaseline/basics';
import { z } from 'zod';
import { findPatternProblem, matchesGlob, matchesPattern, MAX_PATTERN_CHARACTERS } from './pattern.js';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const list = z.array(scalar).max(200);

export const patternSchema = z
  .string()
  .min(1)
  .max(MAX_PATTERN_CHARACTERS)
  .superRefine((pattern, context) => {
    const problem = findPatternProblem(pattern);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

/** The operators of checks and rules. All operators of one matcher must hold. */
const operatorSchemas = {
  equals: z.union([scalar, list]).describe('The value is exactly this'),
  startsWith: z.union([z.string(), list]).describe('The text begins with this text, or the list with these items'),
  matches: patternSchema.describe('The RE2 pattern occurs in the text'),
  glob: z.string().min(1).max(500).describe('The path or name matches: * within a folder, ** across folders'),
  in: list.min(1).describe('The value is one of these'),
  lt: z.number().describe('The number is smaller'),
  gt: z.number().describe('The number is greater'),
  exists: z.boolean().describe('Whether the value is present at all'),
};

const operatorNames = Object.keys(operatorSchemas) as (keyof typeof operatorSchemas)[];

const operatorsSchema = z
  .strictObject(operatorSchemas)
  .partial()
  .refine((given) => Object.keys(given).length > 0, `expected at least one of: ${operatorNames.join(', ')}`);

/** What a value must be: the value itself, a list that it equals, or operators. */
export const matcherSchema = z.union([scalar, list, operatorsSchema]);
export type Matcher = z.infer<typeof matcherSchema>;

/** Matchers by the name of a member, or by a JSON pointer such as `/summary/passed` for a member further inside. */
export const matchersSchema = z.record(z.string().min(1).max(200), matcherSchema);
export type Matchers = z.infer<typeof matchersSchema>;

type Operators = Exclude<Matcher, z.infer<typeof scalar> | z.infer<typeof list>>;

/** Whether a value is what the matcher demands. `undefined` is a member that is absent. */
export function isMatch(matcher: Matcher, value: JsonValue | undefined): boolean {
  if (!isOperators(matcher)) return isSame(matcher, value);
  return operatorNames.every((name) => matcher[name] === undefined || tests[name](matcher[name] as never, value));
}

/** Names of the members that do not match, in the order in which they are written. */
export function findMismatches(matchers: Matchers, value: JsonValue | undefined): readonly string[] {
  return Object.keys(matchers).filter((name) => !isMatch(matchers[name]!, readMember(value, name)));
}

/** Describes a matcher for people and models, such as `begins with ["test"]`. */
export function describeMatcher(matcher: Matcher): string {
  if (!isOperators(matcher)) return `is ${JSON.stringify(matcher)}`;
  const described = operatorNames.flatMap((name) => {
    const operand = matcher[name];
    return operand === undefined ? [] : [`${operatorTexts[name]} ${JSON.stringify(operand)}`];
  });
  return described.join(' and ');
}

/**
 * Reads a member by its name, or by a JSON pointer if the name begins with `/`. Returns `undefined` if it is absent. Only own
 * members are read, so that `__proto__` is nothing special.
 */
export function readMember(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!name.startsWith('/')) return readOwn(value, name);
  const keys = name
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  let found = value;
  for (const key of keys) found = readOwn(found, key);
  return found;
}

function readOwn(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, JsonValue>>)[key];
}

const operatorTexts: Readonly<Record<keyof Operators, string>> = {
  equals: 'is',
  startsWith: 'begins with',
  matches: 'matches',
  glob: 'matches the path',
  in: 'is one of',
  lt: 'is less than',
  gt: 'is greater than',
  exists: 'is present:',
};

const tests: {
  readonly [Name in keyof Operators]-?: (
    operand: NonNullable<Operators[Name]>,
    value: JsonValue | undefined,
  ) => boolean;
} = {
  equals: (operand, value) => isSame(operand, value),
  startsWith: (operand, value) => {
    if (typeof operand === 'string') return typeof value === 'string' && value.startsWith(operand);
    return Array.isArray(value) && operand.every((item, index) => isSame(item, value[index]));
  },
  matches: (operand, value) => typeof value === 'string' && matchesPattern(operand, value),
  glob: (operand, value) => typeof value === 'string' && matchesGlob(operand, value),
  in: (operand, value) => operand.some((item) => isSame(item, value)),
  lt: (operand, value) => typeof value === 'number' && value < operand,
  gt: (operand, value) => typeof value === 'number' && value > operand,
  exists: (operand, value) => (value !== undefined) === operand,
};

function isOperators(matcher: Matcher): matcher is Operators {
  return typeof matcher === 'object' && matcher !== null && !Array.isArray(matcher);
}

function isSame(one: JsonValue, other: JsonValue | undefined): boolean {
  if (other === undefined) return false;
  return one === other || toCanonicalJson(one) === toCanonicalJson(other);
}
