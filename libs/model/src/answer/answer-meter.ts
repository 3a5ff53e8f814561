import { asList, asObject, asText, type LooseObject } from '../wire/loose-json.js';

/** Fraction of the asked bound by which an answer may be longer: tokenizers differ, and ours is not the server's. */
const TOLERANCE = 1 / 8;
const MIN_TOLERANCE_TOKENS = 64;
/** Bytes on the wire per token of a streamed answer, with the envelope of its chunk and the log probabilities that some servers add. */
const STREAM_BYTES_PER_TOKEN = 4_096;
/** Bytes per token of an answer that comes as one JSON text, escapes and log probabilities included. */
const BODY_BYTES_PER_TOKEN = 1_024;
const ENVELOPE_BYTES = 1_048_576;
/** No answer of a model is nearly as long; a server that never stops must not fill the memory. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Bytes of text that are counted together at least, so that tokens which are cut between two counts are few. */
const MIN_COUNTED_BYTES = 64;

/**
 * Tokens up to which an answer is read that was asked to end at `maxOutputTokens`. This is what a call has to reserve: a server
 * that ignores the bound is read no further, so that it cannot take more.
 */
export function readableTokens(maxOutputTokens: number): number {
  return maxOutputTokens + Math.max(MIN_TOLERANCE_TOKENS, Math.ceil(maxOutputTokens * TOLERANCE));
}

/** Bytes of a body that are read at most for an answer of that many tokens. */
export function readableBytes(tokens: number, form: 'stream' | 'whole'): number {
  const perToken = form === 'stream' ? STREAM_BYTES_PER_TOKEN : BODY_BYTES_PER_TOKEN;
  return Math.min(MAX_ANSWER_BYTES, ENVELOPE_BYTES + tokens * perToken);
}

/** Counts the tokens of an answer while it comes. Text that cannot have passed the limit is not counted at all. */
export class AnswerMeter {
  private counted = 0;
  private waiting = '';
  private waitingBytes = 0;

  constructor(
    readonly limit: number,
    private readonly countTokens: (text: string) => number,
  ) {}

  /** Adds a piece of the answer; true once the answer is longer than the limit. */
  add(text: string): boolean {
    this.waiting += text;
    this.waitingBytes += Buffer.byteLength(text);
    // A token has at least one byte.
    if (this.waitingBytes < MIN_COUNTED_BYTES || this.counted + this.waitingBytes <= this.limit) return false;
    this.counted += this.countTokens(this.waiting);
    this.waiting = '';
    this.waitingBytes = 0;
    return this.counted > this.limit;
  }
}

const TEXT_FIELD = /^(text|content|thinking|thought|summary|arguments|reasoning\w*)$/;
/** Fields of a delta that are nested deeper hold no text of the answer. */
const MAX_DEPTH = 4;

/**
 * All that the model wrote in one delta: text, reasoning, refusal and calls. Where none of the usual fields holds anything, the
 * text of other fields counts, as servers charge for reasoning by whatever name they send it.
 */
export function writtenText(delta: LooseObject, usual: string): string {
  const calls = asList(delta.tool_calls).map((value) => {
    const called = asObject(asObject(value)?.function);
    const given = called?.arguments;
    return asText(called?.name) + (typeof given === 'string' ? given : asObject(given) ? JSON.stringify(given) : '');
  });
  const known = usual + calls.join('');
  return known === '' ? textWithin(delta, 0) : known;
}

function textWithin(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(value)) return value.map((entry) => textWithin(entry, depth + 1)).join('');
  return Object.entries(asObject(value) ?? {})
    .map(([name, field]) =>
      typeof field === 'string' ? (TEXT_FIELD.test(name) ? field : '') : textWithin(field, depth + 1),
    )
    .join('');
}
