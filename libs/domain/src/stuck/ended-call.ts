import type { JsonObject, JsonValue } from '../json.js';
import type { ToolEffect } from '../tool-call/tool-spec.js';
import { fingerprint } from './fingerprint.js';

/** A call that has ended, as the watch keeps it: long texts are cut down to what tells them from others. */
export interface EndedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly effect: ToolEffect;
  readonly content: string;
  readonly failed: boolean;
  /** Of each file that it wrote: path and content. */
  readonly files: readonly number[];
}

/** So much of a result is kept from its beginning, and from its end. */
const HEAD = 3_000;
const TAIL = 1_000;
/** Of an argument. */
const ARGUMENT = 600;

/** The same call with long texts shortened. What is left out stands as one number, so that another middle is another text. */
export function shortened(call: EndedCall): EndedCall {
  const { content } = call;
  const long = content.length > HEAD + TAIL;
  return {
    ...call,
    arguments: shortenedValue(call.arguments, 0) as JsonObject,
    ...(long
      ? {
          content: `${content.slice(0, HEAD)}\n[${bulkOf(content, HEAD, content.length - TAIL)}]\n${content.slice(-TAIL)}`,
        }
      : {}),
  };
}

/** Deeper than this, arguments are one text. */
const DEEPEST = 6;

function shortenedValue(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string')
    return value.length <= ARGUMENT
      ? value
      : `${value.slice(0, ARGUMENT / 2)}[${fingerprint(value)}]${value.slice(-ARGUMENT / 2)}`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return shortenedValue(JSON.stringify(value), depth);
  if (Array.isArray(value)) return value.map((item: JsonValue) => shortenedValue(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortenedValue(member, depth + 1)]));
}

/** Every so many characters of the middle are looked at: what changed is seldom only between them. */
const STRIDE = 4;

/** One number for a part of a text, whatever figures are in it: in a long table some always move. */
function bulkOf(text: string, from: number, to: number): string {
  let hash = 0x811c9dc5;
  for (let index = from; index < to; index += STRIDE) {
    const code = text.charCodeAt(index);
    if (code > 57 || (code < 48 && code > 32)) hash = Math.imul(hash ^ code, 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
