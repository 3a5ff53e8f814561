import { ServerSentEventParser, type ServerSentEvent } from '@phaseline/basics';
import type { ChatDelta } from '../chat-model.js';
import {
  AnswerFold,
  ErrorInAnswer,
  foldWholeAnswer,
  type FoldedAnswer,
  type FoldOptions,
} from '../answer/fold-chunks.js';
import { asObject } from '../wire/loose-json.js';
import { computeReadLimitBytes } from '../answer/answer-meter.js';
import { AnswerTooLong, BodyReader, UnreadableAnswer, type BodyHooks } from './body-reader.js';

export interface ReadHooks extends BodyHooks {
  /** Called when only usage and `[DONE]` are still expected. */
  readonly onFinish: () => void;
  readonly onDelta: (delta: ChatDelta) => void;
}

/**
 * Reads an answer, streamed or whole. The first character decides which it is, because servers are wrong about both the
 * requested mode and the content type. A stream that exceeds the limit of `options.meter` is closed and gives a cut answer.
 * A whole answer cannot be stopped, so it is rejected.
 *
 * @throws {UnreadableAnswer | AnswerTooLong | ErrorInAnswer} and errors of the connection.
 */
export async function readAnswer(response: Response, options: FoldOptions, hooks: ReadHooks): Promise<FoldedAnswer> {
  if (!response.body) throw new UnreadableAnswer('the server sent an empty response');
  const body = new BodyReader(response.body, hooks);
  const { meter } = options;
  if (meter) body.limit = computeReadLimitBytes(meter.limit, 'stream');
  let isWhole = false;
  try {
    const head = await readHead(body);
    const first = findFirstCharacter(head);
    if (first === undefined) throw new UnreadableAnswer('the server sent an empty response');
    if (first === '<') throw new UnreadableAnswer('the server responded with a web page', 'not-an-api');
    isWhole = first === '{' || first === '[';
    if (isWhole && meter) body.limit = computeReadLimitBytes(meter.limit, 'whole');
    return await (isWhole ? readWhole(head, body, options, hooks) : readStream(head, body, options, hooks));
  } catch (error) {
    body.cancel();
    // Such a stream does not consist of model output, which the meter would have counted.
    throw error instanceof AnswerTooLong && !isWhole ? new UnreadableAnswer(error.message) : error;
  }
}

/** Reads pieces up to the first that is not blank. */
async function readHead(body: BodyReader): Promise<readonly Uint8Array[]> {
  const head: Uint8Array[] = [];
  while (findFirstCharacter(head) === undefined) {
    const piece = await body.next();
    if (!piece) break;
    head.push(piece);
  }
  return head;
}

/** Finds the first character that is neither blank nor part of a byte order mark. */
function findFirstCharacter(pieces: readonly Uint8Array[]): string | undefined {
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
    // A completion without a choice is a server failure; any other JSON means that this is not a Chat Completions API.
    const kind = asObject(answer)?.choices === undefined ? 'not-an-api' : 'broken';
    throw new UnreadableAnswer('the server responded with JSON that is not an answer', kind);
  }
  if (folded.exceededLimitTokens !== undefined)
    throw new AnswerTooLong(`the answer is longer than ${folded.exceededLimitTokens} tokens`);
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
  const parser = new ServerSentEventParser();
  const decoder = new TextDecoder();
  const fold = new AnswerFold(options);
  const handleText = (text: string): boolean => parser.push(text).some((event) => handleEvent(event, fold, hooks));
  let isDone = head.some((piece) => handleText(decoder.decode(piece, { stream: true })));
  while (!isDone) {
    if (fold.hasFinishReason) hooks.onFinish();
    const piece = await body.next();
    if (!piece) break;
    isDone = handleText(decoder.decode(piece, { stream: true }));
  }
  if (fold.hasExceededLimit) body.cancel();
  else if (isDone) body.drain();
  // The last event of a stream may lack the blank line that ends it.
  else handleText(`${decoder.decode()}\n\n`);
  const folded = fold.result();
  if (!folded.complete) throw new UnreadableAnswer('the stream ended before the response was complete');
  return folded;
}

/** Handles one event. Returns true if it is the last one to read. */
function handleEvent(event: ServerSentEvent, fold: AnswerFold, hooks: ReadHooks): boolean {
  const data = event.data.trim();
  if (data === '') return false;
  if (data === '[DONE]') {
    fold.markComplete();
    return true;
  }
  const chunk = parseJson(data);
  if (event.name === 'error')
    throw new ErrorInAnswer(asObject(asObject(chunk)?.error) ?? asObject(chunk) ?? { message: data }, fold.hasBegun);
  if (chunk === undefined) throw new UnreadableAnswer('an event of the stream is not JSON');
  const delta = fold.add(chunk);
  if (delta) hooks.onDelta(delta);
  return fold.hasExceededLimit;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
