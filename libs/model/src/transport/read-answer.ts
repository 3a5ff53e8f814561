import type { ChatDelta } from '../chat-model.js';
import {
  AnswerFold,
  ErrorInAnswer,
  foldWholeAnswer,
  type FoldedAnswer,
  type FoldOptions,
} from '../answer/fold-chunks.js';
import { asObject } from '../wire/loose-json.js';
import { readableBytes } from '../answer/answer-meter.js';
import { AnswerTooLong, BodyReader, UnreadableAnswer, type BodyHooks } from './body-reader.js';
import { SseDecoder, type SseEvent } from './sse-decoder.js';

export interface ReadHooks extends BodyHooks {
  /** Nothing but usage and `[DONE]` is expected from now on. */
  readonly onFinish: () => void;
  readonly onDelta: (delta: ChatDelta) => void;
}

/**
 * Reads an answer, streamed or whole: by what it begins with, not by what was asked for or what its content type says,
 * as servers are wrong about both. A stream is left once the answer passes the bound of `options.meter`, and is a cut answer.
 * A whole answer cannot be stopped, only refused.
 *
 * @throws {UnreadableAnswer | AnswerTooLong | ErrorInAnswer} and whatever the connection throws.
 */
export async function readAnswer(response: Response, options: FoldOptions, hooks: ReadHooks): Promise<FoldedAnswer> {
  if (!response.body) throw new UnreadableAnswer('the server sent an empty answer');
  const body = new BodyReader(response.body, hooks);
  const { meter } = options;
  if (meter) body.limit = readableBytes(meter.limit, 'stream');
  let isWhole = false;
  try {
    const head = await readHead(body);
    const first = firstCharacter(head);
    if (first === undefined) throw new UnreadableAnswer('the server sent an empty answer');
    if (first === '<') throw new UnreadableAnswer('the server answered with a web page', 'not-an-api');
    isWhole = first === '{' || first === '[';
    if (isWhole && meter) body.limit = readableBytes(meter.limit, 'whole');
    return await (isWhole ? readWhole(head, body, options, hooks) : readStream(head, body, options, hooks));
  } catch (error) {
    body.cancel();
    // What such a stream holds are not words of the model, or they would have been counted.
    throw error instanceof AnswerTooLong && !isWhole ? new UnreadableAnswer(error.message) : error;
  }
}

/** The pieces up to the first that is not blank. */
async function readHead(body: BodyReader): Promise<readonly Uint8Array[]> {
  const head: Uint8Array[] = [];
  while (firstCharacter(head) === undefined) {
    const piece = await body.next();
    if (!piece) break;
    head.push(piece);
  }
  return head;
}

/** The first character that is neither blank nor part of a byte order mark. */
function firstCharacter(pieces: readonly Uint8Array[]): string | undefined {
  const skipped = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
  for (const piece of pieces) {
    const byte = piece.find((value) => !skipped.has(value));
    if (byte !== undefined) return String.fromCharCode(byte);
  }
  return undefined;
}

async function readWhole(
  head: readonly Uint8Array[],
  body: BodyReader,
  options: FoldOptions,
  hooks: ReadHooks,
): Promise<FoldedAnswer> {
  const pieces = [...head];
  for (let piece = await body.next(); piece; piece = await body.next()) pieces.push(piece);
  const answer = parseJson(new TextDecoder().decode(Buffer.concat(pieces)));
  if (answer === undefined) throw new UnreadableAnswer('the answer is not complete JSON');
  const folded = foldWholeAnswer(answer, options);
  if (!folded) {
    // A completion without a choice is a server that failed; anything else is no server of this kind.
    const kind = asObject(answer)?.choices === undefined ? 'not-an-api' : 'broken';
    throw new UnreadableAnswer('the server answered with JSON that holds no answer', kind);
  }
  if (folded.passed !== undefined) throw new AnswerTooLong(`the answer is longer than ${folded.passed} tokens`);
  const { content, reasoning } = folded;
  if (content !== '' || reasoning !== '')
    hooks.onDelta({ ...(content === '' ? {} : { content }), ...(reasoning === '' ? {} : { reasoning }) });
  return folded;
}

async function readStream(
  head: readonly Uint8Array[],
  body: BodyReader,
  options: FoldOptions,
  hooks: ReadHooks,
): Promise<FoldedAnswer> {
  const decoder = new SseDecoder();
  const fold = new AnswerFold(options);
  const take = (events: readonly SseEvent[]): boolean => events.some((event) => takeEvent(event, fold, hooks));
  let done = head.some((piece) => take(decoder.push(piece)));
  while (!done) {
    if (fold.hasFinishReason) hooks.onFinish();
    const piece = await body.next();
    if (!piece) break;
    done = take(decoder.push(piece));
  }
  if (fold.hasPassedBound) body.cancel();
  else if (done) body.drain();
  else take(decoder.end());
  const folded = fold.result();
  if (!folded.complete) throw new UnreadableAnswer('the stream ended before the answer did');
  return folded;
}

/** Takes one event; true when it was the last. */
function takeEvent(event: SseEvent, fold: AnswerFold, hooks: ReadHooks): boolean {
  const data = event.data.trim();
  if (data === '[DONE]') {
    fold.end();
    return true;
  }
  const chunk = parseJson(data);
  if (event.isError)
    throw new ErrorInAnswer(asObject(asObject(chunk)?.error) ?? asObject(chunk) ?? { message: data }, fold.hasBegun);
  if (chunk === undefined) throw new UnreadableAnswer('a piece of the stream is not JSON');
  const delta = fold.add(chunk);
  if (delta) hooks.onDelta(delta);
  return fold.hasPassedBound;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
