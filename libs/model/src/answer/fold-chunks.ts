import type { AnswerOrigin, ChatDelta } from '../chat-model.js';
import type { ModelProfile } from '../profile/model-profile.js';
import { asList, asObject, asText, type LooseObject } from '../wire/loose-json.js';
import { selectWorseReason } from './answer-end.js';
import { extractWrittenText, type AnswerMeter } from './answer-meter.js';
import { CallFold, type PartialCall } from './fold-calls.js';
import { readUsage, type WireUsage } from './usage.js';

/** Characters kept per token of an answer that exceeded its limit. */
const CHARACTERS_PER_TOKEN = 8;
/** Characters kept of the id and the model of an answer. */
const MAX_ORIGIN_LENGTH = 200;

/** An answer assembled from its chunks, with the values as the server sent them. */
export interface FoldedAnswer {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly PartialCall[];
  readonly finishReason: string | undefined;
  readonly usage: WireUsage | undefined;
  readonly origin: AnswerOrigin;
  /**
   * Whether the server marked the end: by a finish reason, by `[DONE]`, or by usage in a separate chunk. A stream that stops
   * without such a mark counts as cut, and none of its calls may run.
   */
  readonly complete: boolean;
  /** The limit in tokens, if the answer exceeded it. Reading stopped there, and the answer counts as cut. */
  readonly exceededLimitTokens?: number;
}

export interface FoldOptions {
  /** Names of the offered tools. */
  readonly offered?: ReadonlySet<string>;
  /** The field to read when a server sends reasoning in both. */
  readonly reasoningField?: ModelProfile['reasoning']['field'];
  /** Counts the tokens that the model writes. If absent, the length of the answer is not limited. */
  readonly meter?: AnswerMeter;
}

/** An error object received inside HTTP 200 instead of an answer. */
export class ErrorInAnswer extends Error {
  readonly code = 'error_in_answer';
  constructor(
    readonly body: LooseObject,
    /** Whether a part of the answer had already arrived. */
    readonly isMidway: boolean,
  ) {
    super('the server sent an error instead of an answer');
  }
}

/** Folds the chunks of one answer as they arrive. */
export class AnswerFold {
  private content = '';
  private reasoning = '';
  private refusal = '';
  private finishReason: string | undefined;
  private usage: WireUsage | undefined;
  private origin: AnswerOrigin = {};
  private isMarkedComplete = false;
  private isBegun = false;
  private isOverLimit = false;
  private readonly calls: CallFold;
  private readonly reasoningFields: readonly string[];

  private readonly meter: AnswerMeter | undefined;

  constructor({ offered = new Set(), reasoningField = 'reasoning_content', meter }: FoldOptions = {}) {
    this.meter = meter;
    this.calls = new CallFold(offered);
    this.reasoningFields = [reasoningField, reasoningField === 'reasoning' ? 'reasoning_content' : 'reasoning'];
  }

  /**
   * Adds one chunk, or anything else that a server sends between chunks. Returns the part of it that can be displayed.
   *
   * @throws {ErrorInAnswer} if it is an error.
   */
  add(value: unknown): ChatDelta | undefined {
    const chunk = asObject(value);
    if (!chunk) return undefined;
    const error = findError(chunk);
    if (error) throw new ErrorInAnswer(error, this.isBegun);
    this.origin = readOrigin(chunk, this.origin);
    const choice = findFirstChoice(chunk);
    const usage = readUsage(chunk, choice);
    if (usage) {
      this.usage = usage;
      if (!choice && this.isBegun) this.isMarkedComplete = true;
    }
    if (!choice) return undefined;
    const finishReason = asText(choice.finish_reason);
    if (finishReason !== '') this.finishReason = selectWorseReason(this.finishReason, finishReason);
    return this.addDelta(asObject(choice.delta) ?? asObject(choice.message) ?? {});
  }

  /** Records that the server marked the end of the answer. */
  markComplete(): void {
    this.isMarkedComplete = true;
  }

  get hasFinishReason(): boolean {
    return this.finishReason !== undefined;
  }

  /** Whether the answer exceeded its limit, so that reading should stop. */
  get hasExceededLimit(): boolean {
    return this.isOverLimit;
  }

  /** Whether any part of the answer has arrived. */
  get hasBegun(): boolean {
    return this.isBegun;
  }

  result(): FoldedAnswer {
    if (this.isOverLimit && this.meter) return this.cutAt(this.meter.limit);
    return {
      // A refusal text serves as the content if there is no other.
      content: this.content || this.refusal,
      reasoning: this.reasoning,
      calls: this.calls.result(),
      finishReason: this.finishReason,
      usage: this.usage,
      origin: this.origin,
      complete: this.isMarkedComplete || this.finishReason !== undefined,
    };
  }

  /** Returns the answer as if the server had stopped at the limit. Anything beyond it in a huge chunk is dropped. */
  private cutAt(tokens: number): FoldedAnswer {
    const maxCharacters = tokens * CHARACTERS_PER_TOKEN;
    return {
      content: (this.content || this.refusal).slice(0, maxCharacters),
      reasoning: this.reasoning.slice(0, maxCharacters),
      calls: this.calls.result().map((call) => ({ ...call, text: call.text.slice(0, maxCharacters) })),
      finishReason: 'length',
      usage: this.usage,
      origin: this.origin,
      complete: true,
      exceededLimitTokens: tokens,
    };
  }

  private addDelta(delta: LooseObject): ChatDelta | undefined {
    const content = readContentText(delta.content);
    const field = this.reasoningFields.find((name) => asText(delta[name]) !== '');
    const reasoning = (field === undefined ? '' : asText(delta[field])) + readContentReasoning(delta.content);
    this.content += content;
    this.reasoning += reasoning;
    const refusal = asText(delta.refusal);
    this.refusal += refusal;
    if (this.meter?.add(extractWrittenText(delta, content + reasoning + refusal))) this.isOverLimit = true;
    const pieces = asList(delta.tool_calls);
    this.calls.add(pieces);
    this.isBegun ||= content !== '' || reasoning !== '' || pieces.length > 0;
    if (content === '' && reasoning === '') return undefined;
    return { ...(content === '' ? {} : { content }), ...(reasoning === '' ? {} : { reasoning }) };
  }
}

/** Folds all chunks of a stream that ended without an error. `done` says whether it ended with `[DONE]`. */
export function foldChunks(
  chunks: Iterable<unknown>,
  options: FoldOptions & { readonly done?: boolean } = {},
): FoldedAnswer {
  const fold = new AnswerFold(options);
  for (const chunk of chunks) fold.add(chunk);
  if (options.done) fold.markComplete();
  return fold.result();
}

/** Folds an answer that was not streamed, by the same rules. Returns `undefined` if the body is not an answer. */
export function foldWholeAnswer(body: unknown, options: FoldOptions = {}): FoldedAnswer | undefined {
  // Gemini wraps errors in a list.
  const answer = asObject(Array.isArray(body) ? body[0] : body);
  if (!answer) return undefined;
  const error = findError(answer);
  if (error) throw new ErrorInAnswer(error, false);
  const choice = findFirstChoice(answer);
  const message = asObject(choice?.message) ?? asObject(choice?.delta);
  if (!choice || !message) return undefined;
  // Each entry of a complete list is a separate call, regardless of its index and id.
  const calls = asList(message.tool_calls).map((call, index) => ({ ...asObject(call), index }));
  return foldChunks([{ ...answer, choices: [{ ...choice, delta: { ...message, tool_calls: calls } }] }], {
    ...options,
    done: true,
  });
}

/**
 * Finds the error of a chunk or body: `{error: …}`, a bare `{object: "error", message…}`, or the exception format of web
 * frameworks (`{detail: …}`, `{message, type}`). Returns `undefined` if it is not an error.
 */
function findError(body: LooseObject): LooseObject | undefined {
  if (body.error) return asObject(body.error) ?? { message: String(body.error) };
  if (body.object === 'error') return body;
  if (body.choices !== undefined) return undefined;
  const isException = asText(body.message) !== '' && (body.type !== undefined || body.code !== undefined);
  return isException || asText(body.detail) !== '' ? body : undefined;
}

/** Reads id and model of a chunk. Every chunk has them; the first that has is enough. */
function readOrigin(chunk: LooseObject, known: AnswerOrigin): AnswerOrigin {
  if (known.id !== undefined && known.model !== undefined) return known;
  const id = known.id ?? asText(chunk.id).slice(0, MAX_ORIGIN_LENGTH);
  const model = known.model ?? asText(chunk.model).slice(0, MAX_ORIGIN_LENGTH);
  return { ...(id === '' ? {} : { id }), ...(model === '' ? {} : { model }) };
}

function findFirstChoice(body: LooseObject): LooseObject | undefined {
  const choices = asList(body.choices).map(asObject);
  return choices.find((choice) => choice?.index === 0) ?? choices.find((choice) => choice !== undefined);
}

/** Reads the content, which is a text or a list of parts. */
function readContentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map((part) => asText(asObject(part)?.text))
    .join('');
}

/** Reads the reasoning that some servers put among the content parts. */
function readContentReasoning(content: unknown): string {
  if (typeof content === 'string') return '';
  return asList(content)
    .map((part) => readContentText(asObject(part)?.thinking))
    .join('');
}
