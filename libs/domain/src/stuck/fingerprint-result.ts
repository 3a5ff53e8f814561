import type { JsonObject, JsonValue } from '@phaseline/basics';
import { computeFingerprint } from './fingerprint.js';
import { fingerprintLine } from './fingerprint-line.js';

/** Characters of a failure's text that identify it. */
const FAILURE_CHARACTERS = 1_000;
/** Minimum length of an argument that is removed from the result. Shorter ones are part of too many words. */
const MIN_ECHO_LENGTH = 3;

/**
 * Fingerprints of a result's lines, which ignore what does not make a line new: times, durations, generated ids, and the
 * call's own arguments, which many tools repeat.
 */
export function fingerprintLines(text: string, args: JsonObject): readonly number[] {
  const found: number[] = [];
  for (const line of removeEchoes(text, args).split('\n')) {
    const print = fingerprintLine(line);
    if (print !== undefined) found.push(print);
  }
  return found;
}

/** Fingerprint of a failure without the details of a single attempt: numbers, quoted texts and paths. */
export function fingerprintFailure(text: string, args: JsonObject): number {
  const plain = removeEchoes(text.slice(0, FAILURE_CHARACTERS), args)
    .replace(/(["'`«])[^"'`»\n]{0,200}["'`»]/g, '"')
    .replace(/(?:[\w.@~-]*\/)+[\w.@~-]*/g, '/')
    .replace(/\d+(?:[.,:]\d+)*(?: ?(?:ms|s|sec|seconds?)\b)?/g, '#')
    .replace(/\s+/g, ' ')
    .toLowerCase();
  return computeFingerprint(plain, 1);
}

function removeEchoes(text: string, args: JsonObject): string {
  let plain = text;
  for (const value of listEchoes(args)) if (plain.includes(value)) plain = plain.replaceAll(value, '§');
  return plain;
}

/** The texts among the arguments, longest first, so that a shorter one does not break up a longer one. */
function listEchoes(args: JsonObject): readonly string[] {
  const found: string[] = [];
  const collect = (value: JsonValue | undefined): void => {
    if (typeof value === 'string') {
      if (value.length >= MIN_ECHO_LENGTH && value.length <= 300) found.push(value);
    } else if (Array.isArray(value)) value.slice(0, 20).forEach(collect);
    else if (typeof value === 'object' && value !== null) Object.values(value).slice(0, 20).forEach(collect);
  };
  collect(args);
  return found.sort((one, other) => other.length - one.length);
}
