import type { JsonObject, JsonValue } from '../json.js';
import { fingerprint } from './fingerprint.js';
import { lineFingerprint } from './line-fingerprint.js';

/** So much of a failure says which one it is. */
const OF_FAILURE = 1_000;
/** Shorter arguments are part of too many words. */
const ECHO_FROM = 3;

/**
 * The lines of a result as fingerprints, without what does not matter for whether they say something new: times, durations,
 * made-up ids, and the call's own arguments, which many tools repeat.
 */
export function linesOf(text: string, args: JsonObject): readonly number[] {
  const found: number[] = [];
  for (const line of withoutEchoes(text, args).split('\n')) {
    const print = lineFingerprint(line);
    if (print !== undefined) found.push(print);
  }
  return found;
}

/** Which failure it is, without what it says of this one try: numbers, and whatever stands in quotes or looks like a path. */
export function failurePrint(text: string, args: JsonObject): number {
  const plain = withoutEchoes(text.slice(0, OF_FAILURE), args)
    .replace(/(["'`«])[^"'`»\n]{0,200}["'`»]/g, '"')
    .replace(/(?:[\w.@~-]*\/)+[\w.@~-]*/g, '/')
    .replace(/\d+(?:[.,:]\d+)*(?: ?(?:ms|s|sec|seconds?)\b)?/g, '#')
    .replace(/\s+/g, ' ')
    .toLowerCase();
  return fingerprint(plain, 1);
}

function withoutEchoes(text: string, args: JsonObject): string {
  let plain = text;
  for (const value of echoes(args)) if (plain.includes(value)) plain = plain.replaceAll(value, '§');
  return plain;
}

/** Longest first, so that a part of one does not break it up. */
function echoes(args: JsonObject): readonly string[] {
  const found: string[] = [];
  const look = (value: JsonValue | undefined): void => {
    if (typeof value === 'string') {
      if (value.length >= ECHO_FROM && value.length <= 300) found.push(value);
    } else if (Array.isArray(value)) value.slice(0, 20).forEach(look);
    else if (typeof value === 'object' && value !== null) Object.values(value).slice(0, 20).forEach(look);
  };
  look(args);
  return found.sort((one, other) => other.length - one.length);
}
