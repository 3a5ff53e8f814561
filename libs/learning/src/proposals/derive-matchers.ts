import { toCanonicalJson, type JsonObject, type JsonValue } from '@phaseline/basics';
import type { Matcher, Matchers } from '@phaseline/checks';

/** Characters that have a meaning in RE2. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** Maximum characters of a beginning or an end that texts have in common. */
const MAX_COMMON = 200;

/**
 * Returns the least general matchers that all of these arguments fulfil: for each argument that all calls have, the value that all have in common;
 * else how their texts begin and end, or how their lists begin; else only that it is there.
 */
export function deriveMatchers(calls: readonly JsonObject[]): Matchers {
  const names = Object.keys(calls[0] ?? {}).filter((name) => calls.every((args) => Object.hasOwn(args, name)));
  return Object.fromEntries(names.sort().map((name) => [name, deriveMatcher(calls.map((args) => args[name]!))]));
}

function deriveMatcher(values: readonly JsonValue[]): Matcher {
  const [first] = values;
  if (values.every((value) => toCanonicalJson(value) === toCanonicalJson(first!)) && isComparable(first!))
    return { equals: first as string };
  if (values.every((value) => typeof value === 'string')) return deriveTextMatcher(values);
  if (values.every((value) => Array.isArray(value))) {
    const common = commonItems(values);
    if (common.length > 0) return { startsWith: common as string[] };
  }
  return { exists: true };
}

/** Texts of calls may be long; a rule contains only short ones. Objects cannot be compared in a rule. */
function isComparable(value: JsonValue): boolean {
  if (typeof value === 'string') return value.length <= MAX_COMMON;
  if (Array.isArray(value))
    return value.length <= 200 && value.every((item) => typeof item !== 'object' && isComparable(item));
  return value === null || typeof value !== 'object';
}

function deriveTextMatcher(texts: readonly string[]): Matcher {
  const shortest = Math.min(...texts.map((text) => text.length));
  const begin = countCommon(texts, (text, index) => text[index], Math.min(shortest, MAX_COMMON));
  const end = countCommon(
    texts,
    (text, index) => text[text.length - 1 - index],
    Math.min(shortest - begin, MAX_COMMON),
  );
  const prefix = texts[0]!.slice(0, begin);
  const suffix = end === 0 ? '' : texts[0]!.slice(-end);
  if (prefix !== '' && suffix === '') return { startsWith: prefix };
  if (suffix === '') return { exists: true };
  const beginning = prefix === '' ? '' : `^${escape(prefix)}(?s:.*)`;
  return { matches: `${beginning}${escape(suffix)}$` };
}

function escape(text: string): string {
  return text.replace(SPECIAL, '\\$&');
}

function countCommon(
  texts: readonly string[],
  read: (text: string, index: number) => string | undefined,
  max: number,
): number {
  let count = 0;
  while (count < max && texts.every((text) => read(text, count) === read(texts[0]!, count))) count += 1;
  return count;
}

function commonItems(lists: readonly (readonly JsonValue[])[]): readonly JsonValue[] {
  const first = lists[0]!;
  const isCommon = (item: JsonValue, index: number): boolean =>
    isComparable(item) &&
    !Array.isArray(item) &&
    lists.every((list) => index < list.length && toCanonicalJson(list[index]!) === toCanonicalJson(item));
  const count = first.findIndex((item, index) => !isCommon(item, index));
  return count === -1 ? first : first.slice(0, count);
}
