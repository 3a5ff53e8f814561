import { MAX_FILE_BYTES, precomputeHash } from './staged-workspace.js';
import { ToolError } from '@phaseline/contracts';
import { createYielder } from '@phaseline/basics';
import { encodeText } from './encode-text.js';

/*
 * Processes texts of megabytes in chunks. Inline tools share the event loop with the heartbeats and all other phases of a worker,
 * so these functions yield between chunks.
 */

/** Characters or bytes per chunk, between two checks of the clock. */
const CHUNK_LENGTH = 256 * 1024;
/** Longest text in characters for which `String.indexOf` takes linear time; for longer ones it may compare all of it at each offset. */
const MAX_NATIVE_SEARCH_LENGTH = 250;

/** Decodes UTF-8. Throws TypeError for invalid bytes. */
export async function decodeInSlices(bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const yieldIfDue = createYielder();
  const parts: string[] = [];
  for (let from = 0; from < bytes.byteLength; from += CHUNK_LENGTH) {
    if (from > 0) await yieldIfDue();
    parts.push(decoder.decode(bytes.subarray(from, from + CHUNK_LENGTH), { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join('');
}

/** Encodes and concatenates texts, and precomputes the hash of the content. Throws ToolError when the result is too large for a file. */
export async function encodeInSlices(texts: Iterable<string>): Promise<Buffer> {
  const yieldIfDue = createYielder();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let pending: string[] = [];
  let characters = 0;
  const encode = (isEnd: boolean): void => {
    const text = pending.join('');
    // Do not split a surrogate pair.
    const end = isEnd || !isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length : text.length - 1;
    const chunk = encodeText(text.slice(0, end));
    bytes += chunk.byteLength;
    if (bytes > MAX_FILE_BYTES)
      throw new ToolError(
        'too_large',
        `The file would have more than ${MAX_FILE_BYTES} bytes. Split it into several files.`,
      );
    chunks.push(chunk);
    pending = [text.slice(end)];
    characters = text.length - end;
  };
  for (const text of texts) {
    for (let from = 0; from < text.length; from += CHUNK_LENGTH) {
      const part = text.slice(from, from + CHUNK_LENGTH);
      pending.push(part);
      characters += part.length;
      if (characters < CHUNK_LENGTH) continue;
      encode(false);
      await yieldIfDue();
    }
  }
  encode(true);
  const content = Buffer.concat(chunks);
  await precomputeHash(content, yieldIfDue);
  return content;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Maximum occurrences that are replaced in one call; their offsets are held in memory. */
const MAX_OCCURRENCES = 1_000_000;

/** Returns the offsets at which `wanted` occurs in `text`, in order and without overlaps. Throws ToolError for more than a million. */
export async function findOccurrences(wanted: string, text: string): Promise<readonly number[]> {
  const yieldIfDue = createYielder();
  const found: number[] = [];
  const next = wanted.length <= MAX_NATIVE_SEARCH_LENGTH ? searchNatively(wanted, text) : searchLinearly(wanted, text);
  for (const at of next) {
    if (at !== undefined) found.push(at);
    if (found.length > MAX_OCCURRENCES)
      throw new ToolError(
        'too_many_places',
        `old_text occurs more than ${MAX_OCCURRENCES} times. Include more of the surrounding text.`,
      );
    if (at === undefined || found.length % 4_096 === 0) await yieldIfDue();
  }
  return found;
}

/** Yields each offset, and undefined between two chunks of the text. */
function* searchNatively(wanted: string, text: string): Generator<number | undefined, void, undefined> {
  let from = 0;
  while (from <= text.length - wanted.length) {
    const window = text.slice(from, from + CHUNK_LENGTH + wanted.length - 1);
    let searched = 0;
    for (let at = window.indexOf(wanted); at >= 0; at = window.indexOf(wanted, searched)) {
      yield from + at;
      searched = at + wanted.length;
    }
    from += Math.max(searched, Math.min(CHUNK_LENGTH, window.length - wanted.length + 1));
    if (from < text.length) yield undefined;
  }
}

/** Like `searchNatively`, but with the Knuth-Morris-Pratt algorithm, which takes linear time for all texts. */
function* searchLinearly(wanted: string, text: string): Generator<number | undefined, void, undefined> {
  const borders = computeBorders(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (at > 0 && at % CHUNK_LENGTH === 0) yield undefined;
    const unit = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    if (matched < wanted.length) continue;
    yield at - wanted.length + 1;
    matched = 0;
  }
}

/** Returns for each prefix of a text the length of its longest proper prefix that is also its suffix. */
function computeBorders(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let matched = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(matched) !== text.charCodeAt(at)) matched = borders[matched - 1]!;
    if (text.charCodeAt(matched) === text.charCodeAt(at)) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
