import type { JsonObject, JsonValue } from '@phaseline/basics';
import type { ToolEffect } from '@phaseline/contracts';
import { computeFingerprint } from './fingerprint.js';

/** An ended call as the watch keeps it. Long texts are shortened so that different ones can still be told apart. */
export interface EndedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly effect: ToolEffect;
  readonly content: string;
  readonly failed: boolean;
  /** Fingerprint of path and content, for each file that the call wrote. */
  readonly files: readonly number[];
}

/** Characters kept from the beginning and from the end of a result. */
const HEAD_CHARACTERS = 3_000;
const TAIL_CHARACTERS = 1_000;
/** Maximum characters kept of an argument. */
const MAX_ARGUMENT_CHARACTERS = 600;

/** Shortens the long texts of a call. A hash replaces what is left out, so that texts that differ there stay different. */
export function shortenCall(call: EndedCall): EndedCall {
  const { content } = call;
  const isLong = content.length > HEAD_CHARACTERS + TAIL_CHARACTERS;
  return {
    ...call,
    arguments: shortenValue(call.arguments, 0) as JsonObject,
    ...(isLong
      ? {
          content: `${content.slice(0, HEAD_CHARACTERS)}\n[${hashMiddle(content, HEAD_CHARACTERS, content.length - TAIL_CHARACTERS)}]\n${content.slice(-TAIL_CHARACTERS)}`,
        }
      : {}),
  };
}

/** Depth below which nested arguments are treated as one text. */
const MAX_DEPTH = 6;

function shortenValue(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string')
    return value.length <= MAX_ARGUMENT_CHARACTERS
      ? value
      : `${value.slice(0, MAX_ARGUMENT_CHARACTERS / 2)}[${computeFingerprint(value)}]${value.slice(-MAX_ARGUMENT_CHARACTERS / 2)}`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return shortenValue(JSON.stringify(value), depth);
  if (Array.isArray(value)) return value.map((item: JsonValue) => shortenValue(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortenValue(member, depth + 1)]));
}

/** One in this many characters of the omitted middle is hashed. A change rarely falls only between them. */
const STRIDE = 4;

/** Hashes a part of a text without its digits: in a long table some digits always change. */
function hashMiddle(text: string, from: number, to: number): string {
  let hash = 0x811c9dc5;
  for (let index = from; index < to; index += STRIDE) {
    const code = text.charCodeAt(index);
    if (code > 57 || (code < 48 && code > 32)) hash = Math.imul(hash ^ code, 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
