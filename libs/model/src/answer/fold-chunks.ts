import type { ChatDelta } from '../chat-model.js';
import type { ModelProfile } from '../profile/model-profile.js';
import { asList, asObject, asText, type LooseObject } from '../wire/loose-json.js';
import { worseReason } from './answer-end.js';
import { writtenText, type AnswerMeter } from './answer-meter.js';
import { CallFold, type PartialCall } from './fold-calls.js';
import { readUsage, type WireUsage } from './usage.js';

/** Characters that are kept per token of an answer that passed its bound. */
const CHARACTERS_PER_TOKEN = 8;

/** An answer put together from its chunks, in the server's words. */
export interface FoldedAnswer {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly PartialCall[];
  readonly finishReason: string | undefined;
  readonly usage: WireUsage | undefined;
  /**
   * Whether the server said that this is all: by a finish reason, by `[DONE]`, or by usage in a chunk of its own.
   * A stream that merely stops is cut, and nothing of it may be run.
   */
  readonly complete: boolean;
  /** The bound in tokens that the answer passed, where it did: it was read no further, and counts as cut. */
  readonly passed?: number;
}

export interface FoldOptions {
  /** Names of the tools on offer. */
  readonly offered?: ReadonlySet<string>;
  /** The field to go by when a server sends reasoning in both. */
  readonly reasoningField?: ModelProfile['reasoning']['field'];
  /** Counts what the model writes; without it an answer may be of any length. */
  readonly meter?: AnswerMeter;
}

/** An error object that came where an answer should be, inside HTTP 200. */
export class ErrorInAnswer extends Error {
  readonly code = 'error_in_answer';
  constructor(
    readonly body: LooseObject,
    /** Whether parts of the answer had come before. */
    readonly midway: boolean,
  ) {
    super('the server sent an error instead of an answer');
  }
}

/** Folds the chunks of one answer as they come. */
export class AnswerFold {
  private content = '';
  private reasoning = '';
  private refusal = '';
  private finishReason: string | undefined;
  private usage: WireUsage | undefined;
  private marked = false;
  private begun = false;
  private passed = false;
  private readonly calls: CallFold;
  private readonly reasoningFields: readonly string[];

  private readonly meter: AnswerMeter | undefined;

  constructor({ offered = new Set(), reasoningField = 'reasoning_content', meter }: FoldOptions = {}) {
    this.meter = meter;
    this.calls = new CallFold(offered);
    this.reasoningFields = [reasoningField, reasoningField === 'reasoning' ? 'reasoning_content' : 'reasoning'];
  }

  /**
   * Takes one chunk, or anything else that a server sends between them. Returns what of it can be shown.
   *
   * @throws {ErrorInAnswer} when it is an error.
   */
  add(value: unknown): ChatDelta | undefined {
    const chunk = asObject(value);
    if (!chunk) return undefined;
    const error = errorOf(chunk);
    if (error) throw new ErrorInAnswer(error, this.begun);
    const choice = firstChoice(chunk);
    const usage = readUsage(chunk, choice);
    if (usage) {
      this.usage = usage;
      if (!choice && this.begun) this.marked = true;
    }
    if (!choice) return undefined;
    const finishReason = asText(choice.finish_reason);
    if (finishReason !== '') this.finishReason = worseReason(this.finishReason, finishReason);
    return this.addDelta(asObject(choice.delta) ?? asObject(choice.message) ?? {});
  }

  /** Notes that the server said that this is all. */
  end(): void {
    this.marked = true;
  }

  get hasFinishReason(): boolean {
    return this.finishReason !== undefined;
  }

  /** Whether the answer is longer than it may be: nothing more of it should be read. */
  get hasPassedBound(): boolean {
    return this.passed;
  }

  /** Whether anything of the answer has come. */
  get hasBegun(): boolean {
    return this.begun;
  }

  result(): FoldedAnswer {
    if (this.passed && this.meter) return this.cutAt(this.meter.limit);
    return {
      // A refusal in words of its own is an answer to read, where there is no other.
      content: this.content || this.refusal,
      reasoning: this.reasoning,
      calls: this.calls.result(),
      finishReason: this.finishReason,
      usage: this.usage,
      complete: this.marked || this.finishReason !== undefined,
    };
  }

  /** The answer as if the server had ended it at the bound. What one huge chunk holds beyond that is dropped. */
  private cutAt(tokens: number): FoldedAnswer {
    const kept = tokens * CHARACTERS_PER_TOKEN;
    return {
      content: (this.content || this.refusal).slice(0, kept),
      reasoning: this.reasoning.slice(0, kept),
      calls: this.calls.result().map((call) => ({ ...call, text: call.text.slice(0, kept) })),
      finishReason: 'length',
      usage: this.usage,
      complete: true,
      passed: tokens,
    };
  }

  private addDelta(delta: LooseObject): ChatDelta | undefined {
    const content = contentText(delta.content);
    const field = this.reasoningFields.find((name) => asText(delta[name]) !== '');
    const reasoning = (field === undefined ? '' : asText(delta[field])) + contentThoughts(delta.content);
    this.content += content;
    this.reasoning += reasoning;
    const refusal = asText(delta.refusal);
    this.refusal += refusal;
    if (this.meter?.add(writtenText(delta, content + reasoning + refusal))) this.passed = true;
    const pieces = asList(delta.tool_calls);
    this.calls.add(pieces);
    this.begun ||= content !== '' || reasoning !== '' || pieces.length > 0;
    if (content === '' && reasoning === '') return undefined;
    return { ...(content === '' ? {} : { content }), ...(reasoning === '' ? {} : { reasoning }) };
  }
}

/** Folds chunks that are all there: those of a stream that ended without error, `[DONE]` told by `done`. */
export function foldChunks(
  chunks: Iterable<unknown>,
  options: FoldOptions & { readonly done?: boolean } = {},
): FoldedAnswer {
  const fold = new AnswerFold(options);
  for (const chunk of chunks) fold.add(chunk);
  if (options.done) fold.end();
  return fold.result();
}

/** Folds an answer that was not streamed, by the same rules; `undefined` when it is none. */
export function foldWholeAnswer(body: unknown, options: FoldOptions = {}): FoldedAnswer | undefined {
  // Gemini wraps its errors into a list.
  const answer = asObject(Array.isArray(body) ? body[0] : body);
  if (!answer) return undefined;
  const error = errorOf(answer);
  if (error) throw new ErrorInAnswer(error, false);
  const choice = firstChoice(answer);
  const message = asObject(choice?.message) ?? asObject(choice?.delta);
  if (!choice || !message) return undefined;
  // The entries of a whole list are calls of their own, whatever indices and ids they carry.
  const calls = asList(message.tool_calls).map((call, index) => ({ ...asObject(call), index }));
  return foldChunks([{ ...answer, choices: [{ ...choice, delta: { ...message, tool_calls: calls } }] }], {
    ...options,
    done: true,
  });
}

/**
 * The error of a chunk or body: `{error: …}`, a bare `{object: "error", message…}`, or what web frameworks make of an exception
 * (`{detail: …}`, `{message, type}`); `undefined` when it is none.
 */
function errorOf(body: LooseObject): LooseObject | undefined {
  if (body.error) return asObject(body.error) ?? { message: String(body.error) };
  if (body.object === 'error') return body;
  if (body.choices !== undefined) return undefined;
  const isException = asText(body.message) !== '' && (body.type !== undefined || body.code !== undefined);
  return isException || asText(body.detail) !== '' ? body : undefined;
}

function firstChoice(body: LooseObject): LooseObject | undefined {
  const choices = asList(body.choices).map(asObject);
  return choices.find((choice) => choice?.index === 0) ?? choices.find((choice) => choice !== undefined);
}

/** Content is a text, or a list of parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map((part) => asText(asObject(part)?.text))
    .join('');
}

/** Some servers put reasoning among the parts of the content. */
function contentThoughts(content: unknown): string {
  if (typeof content === 'string') return '';
  return asList(content)
    .map((part) => contentText(asObject(part)?.thinking))
    .join('');
}
