import type { JsonValue } from '@phaseline/basics';
import { findAuthorViolations } from './author-schema.js';
import { findCitationLack } from './evaluate-citations.js';
import type { FileCheck } from './check.js';
import type { CheckInput } from './check-input.js';
import { buildFails, buildHolds, type CheckResult, type Lack } from './check-result.js';
import { readMember } from './matcher.js';
import { isGlob, matchesGlob, matchesPattern } from './pattern.js';

/** Maximum number of files that one glob may name. Each of them may have to be read. */
export const MAX_FILES_PER_CHECK = 200;

/** Evaluates whether a file is as the check demands. */
export function evaluateFileCheck(check: { readonly file: FileCheck }, input: CheckInput): CheckResult {
  const { file } = check;
  const paths = listCheckedFiles(file, input.tree);
  if (file.exists === false)
    return paths[0] === undefined ? buildHolds(check) : buildFails(check, `no file ${file.path}`, paths[0]);
  if (paths.length === 0) return buildFails(check, `a file ${file.path}`, 'it does not exist');
  if (paths.length > MAX_FILES_PER_CHECK)
    return buildFails(check, `at most ${MAX_FILES_PER_CHECK} files ${file.path}`, `${paths.length}`);
  let first: readonly [path: string, lack: Lack] | undefined;
  for (const path of paths) {
    const { hash } = input.tree[path]!;
    const lack = findLack(file, path, hash, input);
    if (!lack) return buildHolds(check, { files: [{ path, hash }] });
    first ??= [path, lack];
  }
  const [path, [expected, found]] = first!;
  return buildFails(check, `${path}: ${expected}`, found);
}

/** The files that a check names, in the order of their paths. */
export function listCheckedFiles({ path }: Pick<FileCheck, 'path'>, tree: CheckInput['tree']): readonly string[] {
  if (!isGlob(path)) return Object.hasOwn(tree, path) ? [path] : [];
  return Object.keys(tree)
    .filter((known) => matchesGlob(path, known))
    .sort();
}

/** Whether the check needs the text of its file, not only its name and hash. */
export function needsText(check: FileCheck): boolean {
  const { minBytes, minLines, maxLines, minItems, matches, jsonSchema, citations } = check;
  return [minBytes, minLines, maxLines, minItems, matches, jsonSchema, citations].some(
    (member) => member !== undefined,
  );
}

function findLack(check: FileCheck, path: string, hash: string, input: CheckInput): Lack | undefined {
  if (check.changedSince !== undefined && input.hashAt(check.changedSince, path) === hash)
    return [`changed since the ${check.changedSince} began`, 'it has the same content'];
  if (!needsText(check)) return undefined;
  const text = input.readText(hash);
  if (text === undefined) return ['a text that is small enough to be checked', 'it is too large, or no text'];
  return findLackOfText(check, path, text, input);
}

function findLackOfText(check: FileCheck, path: string, text: string, input: CheckInput): Lack | undefined {
  const { minBytes, minLines, maxLines, matches = [] } = check;
  if (minBytes !== undefined) {
    const bytes = new TextEncoder().encode(text.trim().replaceAll(/\s+/g, ' ')).length;
    if (bytes < minBytes) return [`at least ${minBytes} bytes without repeated white space`, `${bytes}`];
  }
  const lines = text.split('\n');
  if (minLines !== undefined) {
    const filled = lines.filter((line) => line.trim() !== '').length;
    if (filled < minLines) return [`at least ${minLines} lines that are not blank`, `${filled}`];
  }
  if (maxLines !== undefined) {
    const total = text.endsWith('\n') ? lines.length - 1 : lines.length;
    if (total > maxLines) return [`at most ${maxLines} lines`, `${total}`];
  }
  const missing = [matches].flat().find((pattern) => !matchesPattern(pattern, text));
  if (missing !== undefined) return [`text that matches ${missing}`, 'none'];
  return findLackOfDocument(check, path, text, input);
}

function findLackOfDocument(check: FileCheck, path: string, text: string, input: CheckInput): Lack | undefined {
  const { minItems, jsonSchema, citations, pointer = '' } = check;
  if (minItems === undefined && jsonSchema === undefined && citations === undefined) return undefined;
  if (path.endsWith('.jsonl') && jsonSchema === undefined && citations === undefined)
    return findLackOfLines(text, minItems ?? 0);
  let document: JsonValue;
  try {
    document = JSON.parse(text) as JsonValue;
  } catch {
    return ['valid JSON', 'it cannot be parsed'];
  }
  const value = pointer === '' ? document : readMember(document, pointer);
  const place = pointer === '' ? '' : ` at ${pointer}`;
  if (minItems !== undefined) {
    const items = Array.isArray(value) ? value.length : 0;
    if (items < minItems) return [`a list of at least ${minItems} items${place}`, `${items}`];
  }
  const schemaLack = jsonSchema === undefined ? undefined : findSchemaLack(jsonSchema, value, place, input);
  return schemaLack ?? (citations === undefined ? undefined : findCitationLack(citations, document, input));
}

function findLackOfLines(text: string, minItems: number): Lack | undefined {
  const items = text.split('\n').filter((line) => line.trim() !== '').length;
  return items < minItems ? [`at least ${minItems} lines that are not blank`, `${items}`] : undefined;
}

/** Number of problems of a document that are named. */
const MAX_PROBLEMS = 5;

function findSchemaLack(
  name: string,
  value: JsonValue | undefined,
  place: string,
  { schemas }: CheckInput,
): Lack | undefined {
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  const expected = `JSON${place} that fulfils ${name}`;
  if (!schema) return [expected, 'the agent has no such schema'];
  const violations = findAuthorViolations(schema, value ?? null).slice(0, MAX_PROBLEMS);
  return violations.length === 0 ? undefined : [expected, violations.join('; ')];
}
