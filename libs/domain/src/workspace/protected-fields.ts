import { toCanonicalJson, type JsonValue } from '@phaseline/basics';
import { isGlob, matchesGlob } from '@phaseline/checks';
import { load } from 'js-yaml';
import { z } from 'zod';
import { REDACTED_TEXT } from '../redact/redactor.js';

const YAML_FILE = /\.ya?ml$/;
const STRUCTURED_FILE = /\.(?:json|ya?ml)$/;

/** What no call of the agent may change: a whole file, or fields of a JSON or YAML file. */
const protectedFieldSchema = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .max(500)
      .regex(/^[^/\\\0][^\\\0]*$/, 'expected a path relative to the workspace')
      .describe('Path or glob'),
    pointer: z
      .string()
      .max(500)
      // An event of an erased job has a placeholder here.
      .regex(/^(?:(?:\/[^/]*)+|\[redacted\])$/, 'expected a JSON pointer such as /items/*/verified')
      .optional()
      .describe('The fields; * stands for each item of a list or member of an object. Without it, the whole file'),
    writer: z.enum(['verifier', 'machine']).describe('Who writes it, which the reason of a refusal names'),
  })
  .refine(({ pointer, writer }) => pointer !== undefined || writer === 'machine', {
    path: ['writer'],
    error: "a whole file is written by 'machine'; fields of it need a pointer",
  })
  .refine(({ file, pointer }) => pointer === undefined || STRUCTURED_FILE.test(file) || file === REDACTED_TEXT, {
    path: ['file'],
    error: 'fields are protected in files whose names end in .json, .yaml or .yml',
  });
export const protectedFieldsSchema = z.array(protectedFieldSchema).min(1).max(50);
export type ProtectedField = z.infer<typeof protectedFieldSchema>;

/** The rules that apply to a file. */
export function listProtectionOf(rules: readonly ProtectedField[], path: string): readonly ProtectedField[] {
  return rules.filter(({ file }) => (isGlob(file) ? matchesGlob(file, path) : file === path));
}

/** Number of values of a document up to which its fields are compared. Aliases of YAML count each time. */
const MAX_VALUES = 200_000;

/** A document that is no valid JSON or YAML, or has too many values. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * Explains which protected field a change of a file changes; `undefined` if it changes none. `before` and `after` are its texts, or
 * `undefined` where it does not exist. Items of a list are compared by their position. A file that cannot be read after the change
 * counts as changed.
 */
export function findProtectedChange(
  rules: readonly ProtectedField[],
  path: string,
  before: string | undefined,
  after: string | undefined,
): string | undefined {
  if (before === after) return undefined;
  for (const { pointer, writer } of listProtectionOf(rules, path)) {
    if (pointer === undefined) return `${path} is written by the machine only`;
    const known = readFields(path, before, pointer);
    const next = readFields(path, after, pointer);
    if (next === 'unreadable') {
      const format = YAML_FILE.test(path) ? 'YAML' : 'JSON';
      return `${path} cannot be read as ${format} after the change, and its fields ${pointer} are protected`;
    }
    // What could not be read before has no field that the change could keep.
    const fields = known === 'unreadable' ? new Map<string, string>() : known;
    const changed = [...new Set([...fields.keys(), ...next.keys()])].find((at) => fields.get(at) !== next.get(at));
    if (changed !== undefined) return `${changed} of ${path} is written by ${describeWriter(writer)} only`;
  }
  return undefined;
}

function describeWriter(writer: ProtectedField['writer']): string {
  return writer === 'machine' ? 'the machine' : 'verifiers';
}

/** The values of the fields by their pointers, as canonical JSON. */
function readFields(path: string, text: string | undefined, pointer: string): Map<string, string> | 'unreadable' {
  const fields = new Map<string, string>();
  if (text === undefined) return fields;
  try {
    const document = parseDocument(path, text);
    collect(document, pointer.split('/').slice(1), '', fields);
    return fields;
  } catch (error) {
    // Nesting too deep for the stack.
    if (error instanceof Unreadable || error instanceof RangeError) return 'unreadable';
    throw error;
  }
}

function parseDocument(path: string, text: string): JsonValue {
  let document: unknown;
  try {
    document = YAML_FILE.test(path) ? load(text) : JSON.parse(text);
  } catch {
    throw new Unreadable();
  }
  if (countValues(document, 0) > MAX_VALUES) throw new Unreadable();
  // YAML has values that JSON has not, such as dates.
  return JSON.parse(JSON.stringify(document ?? null)) as JsonValue;
}

/** Counts values up to the maximum, so that a small text with many aliases stays cheap. */
function countValues(value: unknown, counted: number): number {
  if (typeof value !== 'object' || value === null) return counted + 1;
  let count = counted + 1;
  for (const member of Object.values(value)) {
    count = countValues(member, count);
    if (count > MAX_VALUES) return count;
  }
  return count;
}

function collect(value: JsonValue, keys: readonly string[], at: string, fields: Map<string, string>): void {
  const [key, ...rest] = keys;
  if (key === undefined) {
    fields.set(at, toCanonicalJson(value));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const members = Object.entries(value) as readonly (readonly [string, JsonValue])[];
  const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
  for (const [member, inner] of members)
    if (key === '*' || member === name)
      collect(inner, rest, `${at}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`, fields);
}
