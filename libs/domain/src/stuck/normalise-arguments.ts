import { toSingleLine } from '@phaseline/basics';
import type { JsonObject, JsonValue } from '@phaseline/basics';

/** Names of arguments that a model changes to make a repeated call look different. */
const cosmeticName =
  /^(?:_|(?:attempt|retry|retries|try|tries|nonce|seed|salt|count|counter|request|trace|timestamp|time|ts|cache[-_]?bust\w*|reason|comment|note|why|explanation|thought)(?:[-_]?(?:id|no|num|number|count))?)$/i;

/** Names of arguments that serve only to make a call look different, and are never part of a question. */
const retryMarkerName =
  /^(?:_|(?:attempt|retry|retries|try|tries|nonce)(?:[-_]?(?:id|no|num|number|count))?|(?:request|trace|correlation)[-_]?id|cache[-_]?bust\w*)$/i;

/**
 * Text that is equal for two calls exactly if they ask the same question. Only white space and retry markers are ignored: a
 * different path, term, seed or comment may be a different question.
 */
export function normaliseQuestion(args: JsonObject): string {
  return JSON.stringify(args, (key, value: unknown) => {
    if (retryMarkerName.test(key)) return undefined;
    if (typeof value === 'string') return toSingleLine(value);
    return isObject(value) ? sortMembers(value) : value;
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortMembers(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Normalises the arguments so that cosmetic differences do not count: case, white space, punctuation, comments and retry markers. */
export function normaliseArguments(args: JsonObject): string {
  const parts: string[] = [];
  const add = (name: string, value: JsonValue | undefined): void => {
    if (cosmeticName.test(name)) return;
    if (typeof value === 'string') parts.push(`${name}=${normaliseText(value)}`);
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

function normaliseText(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s#.*$/gm, '')
    .replace(/[\s"'`.,;:!?()[\]]+/g, ' ')
    .trim();
}

/** Words of the arguments, used to measure how similar two calls are. */
export function extractWords(args: JsonObject): readonly string[] {
  const texts: string[] = [];
  const collect = (value: JsonValue | undefined): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect(args);
  return (
    texts
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? []
  );
}
