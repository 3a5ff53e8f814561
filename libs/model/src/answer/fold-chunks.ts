import type { ChatDelta } from '../chat-model.js';
import type { ModelProfile } from '../profile/model-profile.js';
import { asList, asObject, asText, type LooseObject } from '../wire/loose-json.js';
import { worseReason } from './answer-end.js';
import { CallFold, type PartialCall } from './fold-calls.js';
import { readUsage, type WireUsage } from './usage.js';

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
}

export interface FoldOptions {
  /** Names of the tools on offer. */
  readonly offered?: ReadonlySet<string>;
  /** The field to go by when a server sends reasoning in both. */
  readonly reasoningField?: ModelProfile['reasoning']['field'];
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
  private readonly calls: CallFold;
  private readonly reasoningFields: readonly string[];

  constructor({ offered = new Set(), reasoningField = 'reasoning_content' }: FoldOptions = {}) {
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

  /** Whether anything of the answer has come. */
  get hasBegun(): boolean {
    return this.begun;
  }

  result(): FoldedAnswer {
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

  private addDelta(delta: LooseObject): ChatDelta | undefined {
    const content = contentText(delta.content);
    const field = this.reasoningFields.find((name) => asText(delta[name]) !== '');
    const reasoning = (field === undefined ? '' : asText(delta[field])) + contentThoughts(delta.content);
    this.content += content;
    this.reasoning += reasoning;
    this.refusal += asText(delta.refusal);
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

/** The error of a chunk or body: `{error: …}`, a bare `{object: "error", message…}`, or `undefined` when it is none. */
function errorOf(body: LooseObject): LooseObject | undefined {
  if (body.error) return asObject(body.error) ?? { message: String(body.error) };
  return body.object === 'error' ? body : undefined;
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
