import { hashAhead } from '@phaseline/workspace';
import { ToolError } from '../tool-error.js';
import { yielding } from '../yield-loop.js';
import { encodeText } from './file-text.js';

/*
 * Work on texts of megabytes, a piece at a time. Inline tools share their thread with the heartbeats and with all other phases of a
 * worker, so none of this may take long without a pause.
 */

/** Characters, or bytes, that are worked on between two looks at the clock. */
const PIECE = 256 * 1024;
/** The engine's search takes linear time up to about this length; for a longer text it may compare all of it at each place. */
const LONGEST_NATIVE = 250;

/** Decodes UTF-8. Throws TypeError for bytes that are none. */
export async function decodeInTurns(bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const breathe = yielding();
  const parts: string[] = [];
  for (let from = 0; from < bytes.byteLength; from += PIECE) {
    if (from > 0) await breathe();
    parts.push(decoder.decode(bytes.subarray(from, from + PIECE), { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join('');
}

/** Encodes texts one behind the other, and computes the name of the content. Throws ToolError when they are longer than `maxBytes`. */
export async function encodeInTurns(texts: Iterable<string>, maxBytes: number): Promise<Buffer> {
  const breathe = yielding();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let waiting: string[] = [];
  let characters = 0;
  const encode = (isEnd: boolean): void => {
    const text = waiting.join('');
    // A character of two units is not cut.
    const end = isEnd || !isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length : text.length - 1;
    const piece = encodeText(text.slice(0, end));
    bytes += piece.byteLength;
    if (bytes > maxBytes)
      throw new ToolError('too_large', `The file would have more than ${maxBytes} bytes. Split it into several files.`);
    pieces.push(piece);
    waiting = [text.slice(end)];
    characters = text.length - end;
  };
  for (const text of texts) {
    for (let from = 0; from < text.length; from += PIECE) {
      const part = text.slice(from, from + PIECE);
      waiting.push(part);
      characters += part.length;
      if (characters < PIECE) continue;
      encode(false);
      await breathe();
    }
  }
  encode(true);
  const content = Buffer.concat(pieces);
  await hashAhead(content, breathe);
  return content;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Places that are replaced at once at most; their list stands in memory. */
const MAX_PLACES = 1_000_000;

/** Offsets at which a text occurs in another, in order and without overlaps. Throws ToolError when they are more than a million. */
export async function occurrencesOf(wanted: string, text: string): Promise<readonly number[]> {
  const breathe = yielding();
  const found: number[] = [];
  const next = wanted.length <= LONGEST_NATIVE ? nativeSearch(wanted, text) : steadySearch(wanted, text);
  for (const at of next) {
    if (at !== undefined) found.push(at);
    if (found.length > MAX_PLACES)
      throw new ToolError(
        'too_many_places',
        `old_text occurs more than ${MAX_PLACES} times. Give more of its surroundings.`,
      );
    if (at === undefined || found.length % 4_096 === 0) await breathe();
  }
  return found;
}

/** Yields each offset, and undefined between two pieces of the text. */
function* nativeSearch(wanted: string, text: string): Generator<number | undefined, void, undefined> {
  let from = 0;
  while (from <= text.length - wanted.length) {
    const window = text.slice(from, from + PIECE + wanted.length - 1);
    let searched = 0;
    for (let at = window.indexOf(wanted); at >= 0; at = window.indexOf(wanted, searched)) {
      yield from + at;
      searched = at + wanted.length;
    }
    from += Math.max(searched, Math.min(PIECE, window.length - wanted.length + 1));
    if (from < text.length) yield undefined;
  }
}

/** The same by the method of Knuth, Morris and Pratt, which reads each character once, whatever the texts are. */
function* steadySearch(wanted: string, text: string): Generator<number | undefined, void, undefined> {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (at > 0 && at % PIECE === 0) yield undefined;
    const unit = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    if (matched < wanted.length) continue;
    yield at - wanted.length + 1;
    matched = 0;
  }
}

/** For each beginning of a text, the length of the longest shorter beginning that it ends with. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let matched = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(matched) !== text.charCodeAt(at)) matched = borders[matched - 1]!;
    if (text.charCodeAt(matched) === text.charCodeAt(at)) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
