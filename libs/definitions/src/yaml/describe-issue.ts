import { clip } from '@phaseline/basics';
import type { z } from 'zod';
import { suggestNear } from '../definition/near-matches.js';
import { listAlternatives, listKeys, findSchema } from './schema-shape.js';

type Issue = z.core.$ZodIssue;

/** A schema violation in words, with its location. */
export interface Finding {
  readonly path: readonly PropertyKey[];
  /** Whether the key is wrong rather than its value. */
  readonly atKey: boolean;
  readonly message: string;
}

/** Describes a zod issue. `value` is the value that was parsed with `schema`. */
export function describeIssue(issue: Issue, value: unknown, schema: z.ZodType): readonly Finding[] {
  return describe(issue, { path: [], value, schema });
}

interface Context {
  /** Path of `value` in the document, because issues inside unions have paths relative to the union. */
  readonly path: readonly PropertyKey[];
  readonly value: unknown;
  readonly schema: z.ZodType | undefined;
}

function describe(issue: Issue, context: Context): readonly Finding[] {
  const path = [...context.path, ...issue.path];
  const found = valueAt(context.value, issue.path);
  const finding = (message: string, atKey = false): readonly Finding[] => [
    { path, atKey, message: `${formatPath(path)}${message}` },
  ];
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = listKeys(findSchema(context.schema, issue.path));
      return issue.keys.map((key) => ({
        path: [...path, key],
        atKey: true,
        message: `${formatPath(path)}unknown key '${key}'${suggestKeys(key, known)}`,
      }));
    }
    case 'invalid_union':
      return (
        describeUnion(issue, context, found) ??
        finding(`expected ${expectedOfUnion(issue)}, found ${describeValue(found)}`)
      );
    case 'invalid_key':
      return finding(
        `the key '${String(path.at(-1))}' cannot be used: ${issue.issues[0]?.message ?? 'expected another'}`,
        true,
      );
    default: {
      const expected = expectationOf(issue);
      if (found === undefined && issue.code === 'invalid_type') return finding(`missing; ${expected}`);
      const hints =
        issue.code === 'invalid_value' && typeof found === 'string' ? suggestNear(found, issue.values.map(String)) : '';
      return finding(issue.code === 'custom' ? expected : `${expected}, found ${describeValue(found)}${hints}`);
    }
  }
}

/** Describes the issues of the alternative that was most likely meant; `undefined` if no alternative has the right type. */
function describeUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  context: Context,
  found: unknown,
): readonly Finding[] | undefined {
  const options = listAlternatives(findSchema(context.schema, issue.path));
  const branches = issue.errors
    .map((issues, index) => ({ issues, schema: options[index] }))
    .filter(
      ({ issues }) =>
        !issues.some((inner) => inner.path.length === 0 && ['invalid_type', 'invalid_value'].includes(inner.code)),
    )
    .sort((left, right) => left.issues.length - right.issues.length);
  const [best] = branches;
  if (!best) return undefined;
  const inner = { path: [...context.path, ...issue.path], value: found, schema: best.schema };
  return best.issues.flatMap((nested) => describe(nested, inner));
}

function expectedOfUnion(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  if (issue.errors.length === 0) return issue.message.replace(/^.*expected /i, '');
  const each = issue.errors.map((issues) =>
    issues[0] ? expectationOf(issues[0]).replace(/^expected /, '') : 'something else',
  );
  return [...new Set(each)].join(' or ');
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
};

/** Describes what was expected. Starts with "expected" unless the schema has its own message. */
function expectationOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.map((value) => `'${String(value)}'`).join(' or ')}`;
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${formatAmount(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${formatAmount(issue.maximum, issue.origin)}`;
    case 'invalid_format':
      return issue.message.startsWith('expected')
        ? issue.message
        : `expected ${issue.format === 'regex' ? `text like ${issue.pattern ?? 'the pattern'}` : issue.format}`;
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`;
    default:
      return issue.message;
  }
}

function formatAmount(bound: number | bigint, origin: string): string {
  if (origin === 'string') return `${bound} character${bound === 1 ? '' : 's'}`;
  return origin === 'array' || origin === 'set' ? `${bound} item${bound === 1 ? '' : 's'}` : String(bound);
}

function suggestKeys(key: string, known: readonly string[]): string {
  return known.length === 0 ? '' : `${suggestNear(key, known)}; known here: ${known.join(', ')}`;
}

/** Formats a path as a prefix: `states.plan.todos[2]: ` */
function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '';
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return `${text.replace(/^\./, '')}: `;
}

function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return `the text ${JSON.stringify(clip(value, 60))}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : 'a mapping';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}
