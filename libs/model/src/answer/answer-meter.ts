import { asList, asObject, asText, type LooseObject } from '../wire/loose-json.js';

/** Fraction by which an answer may exceed the requested limit, because the server's tokenizer differs from ours. */
const TOLERANCE = 1 / 8;
const MIN_TOLERANCE_TOKENS = 64;
/** Bytes on the wire per token of a streamed answer, including the chunk envelope and the log probabilities that some servers add. */
const STREAM_BYTES_PER_TOKEN = 4_096;
/** Bytes per token of an answer sent as one JSON body, including escapes and log probabilities. */
const BODY_BYTES_PER_TOKEN = 1_024;
const ENVELOPE_BYTES = 1_048_576;
/** Far longer than any real answer; protects memory from a server that never stops. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Minimum number of bytes per count, so that few tokens are split between two counts. */
const MIN_BYTES_PER_COUNT = 64;

/**
 * Maximum number of tokens read from an answer that was limited to `maxOutputTokens`. A call must reserve this amount:
 * reading stops there, so a server that ignores the limit cannot cost more.
 */
export function computeReadLimitTokens(maxOutputTokens: number): number {
  return maxOutputTokens + Math.max(MIN_TOLERANCE_TOKENS, Math.ceil(maxOutputTokens * TOLERANCE));
}

/** Maximum number of body bytes read for an answer of the given number of tokens. */
export function computeReadLimitBytes(tokens: number, form: 'stream' | 'whole'): number {
  const perToken = form === 'stream' ? STREAM_BYTES_PER_TOKEN : BODY_BYTES_PER_TOKEN;
  return Math.min(MAX_ANSWER_BYTES, ENVELOPE_BYTES + tokens * perToken);
}

/** Counts the tokens of an answer as it arrives. Skips counting while the text is too short to exceed the limit. */
export class AnswerMeter {
  private countedTokens = 0;
  private uncountedText = '';
  private uncountedBytes = 0;

  constructor(
    readonly limit: number,
    private readonly countTokens: (text: string) => number,
  ) {}

  /** Adds a piece of the answer. Returns true once the answer exceeds the limit. */
  add(text: string): boolean {
    this.uncountedText += text;
    this.uncountedBytes += Buffer.byteLength(text);
    // A token has at least one byte.
    if (this.uncountedBytes < MIN_BYTES_PER_COUNT || this.countedTokens + this.uncountedBytes <= this.limit)
      return false;
    this.countedTokens += this.countTokens(this.uncountedText);
    this.uncountedText = '';
    this.uncountedBytes = 0;
    return this.countedTokens > this.limit;
  }
}

const TEXT_FIELD = /^(text|content|thinking|thought|summary|arguments|reasoning\w*)$/;
/** Deeper fields of a delta hold no text of the answer. */
const MAX_DEPTH = 4;

/**
 * Everything that the model wrote in one delta: text, reasoning, refusal and calls. If all usual fields are empty, text in
 * other fields counts, because servers charge for reasoning regardless of the name of its field.
 *
 * @param usual Text already extracted from the usual fields, without the calls.
 */
export function extractWrittenText(delta: LooseObject, usual: string): string {
  const calls = asList(delta.tool_calls).map((value) => {
    const called = asObject(asObject(value)?.function);
    const given = called?.arguments;
    return asText(called?.name) + (typeof given === 'string' ? given : asObject(given) ? JSON.stringify(given) : '');
  });
  const known = usual + calls.join('');
  return known === '' ? collectText(delta, 0) : known;
}

function collectText(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(value)) return value.map((entry) => collectText(entry, depth + 1)).join('');
  return Object.entries(asObject(value) ?? {})
    .map(([name, field]) =>
      typeof field === 'string' ? (TEXT_FIELD.test(name) ? field : '') : collectText(field, depth + 1),
    )
    .join('');
}
