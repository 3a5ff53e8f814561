import type { JsonObject, JsonValue } from '../json.js';

/** Members that a model changes to make a call look like another one. */
const countsTries =
  /^(?:_|(?:attempt|retry|retries|try|tries|nonce|seed|salt|count|counter|request|trace|timestamp|time|ts|cache[-_]?bust\w*|reason|comment|note|why|explanation|thought)(?:[-_]?(?:id|no|num|number|count))?)$/i;

/** Members that are there only to make a call look different: they belong to no question. */
const onlyCountsTries =
  /^(?:_|(?:attempt|retry|retries|try|tries|nonce)(?:[-_]?(?:id|no|num|number|count))?|(?:request|trace|correlation)[-_]?id|cache[-_]?bust\w*)$/i;

/** The arguments in one order, so that the order of their members says nothing. */
export function canonicalArguments(args: JsonObject): string {
  return JSON.stringify(args, (_key, value: unknown) => (isObject(value) ? sorted(value) : value));
}

/**
 * Text that is equal for two calls exactly if they ask the same question. Only spaces and members that count tries are ignored: a
 * different path, term, seed or remark may be a different question, and only the caller can know.
 */
export function questionOf(args: JsonObject): string {
  return JSON.stringify(args, (key, value: unknown) => {
    if (onlyCountsTries.test(key)) return undefined;
    if (typeof value === 'string') return value.replace(/\s+/g, ' ').trim();
    return isObject(value) ? sorted(value) : value;
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The arguments without what makes no other call of it: case, spaces, punctuation, remarks, and members that only count tries. */
export function looseArguments(args: JsonObject): string {
  const parts: string[] = [];
  const add = (name: string, value: JsonValue | undefined): void => {
    if (countsTries.test(name)) return;
    if (typeof value === 'string') parts.push(`${name}=${looseText(value)}`);
    else if (Array.isArray(value)) value.forEach((item) => add(name, item));
    else if (typeof value === 'object' && value !== null) addAll(value as JsonObject);
    else parts.push(`${name}=${String(value)}`);
  };
  const addAll = (members: JsonObject): void =>
    Object.entries(members)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .forEach(([name, value]) => add(name, value));
  addAll(args);
  return parts.join('\n');
}

function looseText(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s#.*$/gm, '')
    .replace(/[\s"'`.,;:!?()[\]]+/g, ' ')
    .trim();
}

/** The words of the arguments, for how much two calls ask for the same. */
export function wordsOf(args: JsonObject): readonly string[] {
  const texts: string[] = [];
  const look = (value: JsonValue | undefined): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) value.forEach(look);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(look);
  };
  look(args);
  return (
    texts
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? []
  );
}
