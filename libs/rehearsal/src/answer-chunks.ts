import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@phaseline/basics';
import type { RehearsalAnswer } from './rehearsal-policy.js';

/** Name of the server's only model. Every answer contains it, so that the answer cannot be mistaken for that of a language model. */
export const REHEARSAL_MODEL = 'rehearsal';

/** Length of a streamed piece in characters, roughly a few tokens. */
const CHARACTERS_PER_PIECE = 24;

/** One piece of an answer. */
type Delta =
  | { readonly kind: 'content' | 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly kind: 'arguments'; readonly index: number; readonly text: string };

export interface PlayedAnswer {
  readonly id: string;
  readonly deltas: readonly Delta[];
  readonly finishReason: 'stop' | 'tool_calls' | 'length';
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number };
}

/** Estimates the tokens of a text: English has about four characters per token. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/**
 * Splits an answer into pieces, within the output limit of the request. Its ids are derived from the conversation: the
 * same conversation gets the same answer, streamed or not.
 */
export function playAnswer(
  answer: RehearsalAnswer,
  request: { readonly conversation: string; readonly promptTokens: number; readonly maxTokens: number | undefined },
): PlayedAnswer {
  const seed = createHash('sha256').update(request.conversation).digest('hex').slice(0, 16);
  const all = toDeltas(answer, seed);
  const deltas: Delta[] = [];
  let tokens = 0;
  for (const delta of all) {
    tokens += estimateTokens(delta.kind === 'call' ? delta.name : delta.text);
    if (request.maxTokens !== undefined && tokens > request.maxTokens) break;
    deltas.push(delta);
  }
  const isCut = deltas.length < all.length;
  const completionTokens = isCut ? request.maxTokens! : tokens;
  return {
    id: `chatcmpl-rehearsal-${seed}`,
    deltas,
    finishReason: isCut ? 'length' : answer.calls?.length ? 'tool_calls' : 'stop',
    usage: {
      prompt_tokens: request.promptTokens,
      completion_tokens: completionTokens,
      total_tokens: request.promptTokens + completionTokens,
    },
  };
}

/** Converts the answer into the chunks of a stream, without `[DONE]`. */
export function toStreamChunks(played: PlayedAnswer, withUsage: boolean): readonly JsonObject[] {
  const head = {
    id: played.id,
    object: 'chat.completion.chunk',
    created: 0,
    model: REHEARSAL_MODEL,
    system_fingerprint: REHEARSAL_MODEL,
  };
  const chunk = (delta: JsonObject, finishReason: string | null): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(withUsage ? { usage: null } : {}),
  });
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...played.deltas.map((delta) => chunk(toWireDelta(delta), null)),
    chunk({}, played.finishReason),
    ...(withUsage ? [{ ...head, choices: [], usage: played.usage }] : []),
  ];
}

/** Converts the answer into one response body. */
export function toResponseBody(played: PlayedAnswer): JsonObject {
  const textOf = (kind: Delta['kind']): string =>
    played.deltas.map((delta) => (delta.kind === kind && 'text' in delta ? delta.text : '')).join('');
  const calls = played.deltas.flatMap((delta): JsonValue[] => {
    if (delta.kind !== 'call') return [];
    const text = played.deltas
      .map((piece) => (piece.kind === 'arguments' && piece.index === delta.index ? piece.text : ''))
      .join('');
    return [{ id: delta.id, type: 'function', function: { name: delta.name, arguments: text } }];
  });
  const content = textOf('content');
  const reasoning = textOf('reasoning');
  const message: JsonObject = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: played.id,
    object: 'chat.completion',
    created: 0,
    model: REHEARSAL_MODEL,
    system_fingerprint: REHEARSAL_MODEL,
    choices: [{ index: 0, message, logprobs: null, finish_reason: played.finishReason }],
    usage: played.usage,
  };
}

function toDeltas({ content = '', reasoning = '', calls = [] }: RehearsalAnswer, seed: string): readonly Delta[] {
  return [
    ...splitIntoPieces(reasoning).map((text): Delta => ({ kind: 'reasoning', text })),
    ...splitIntoPieces(content).map((text): Delta => ({ kind: 'content', text })),
    ...calls.flatMap((call, index): Delta[] => [
      { kind: 'call', index, id: `call_${seed}_${index}`, name: call.name },
      ...splitIntoPieces(JSON.stringify(call.arguments)).map((text): Delta => ({ kind: 'arguments', index, text })),
    ]),
  ];
}

function splitIntoPieces(text: string): readonly string[] {
  // The `u` flag keeps surrogate pairs together.
  return text.match(new RegExp(`[^]{1,${CHARACTERS_PER_PIECE}}`, 'gu')) ?? [];
}

function toWireDelta(delta: Delta): JsonObject {
  switch (delta.kind) {
    case 'content':
      return { content: delta.text };
    case 'reasoning':
      return { reasoning_content: delta.text };
    case 'call':
      return {
        tool_calls: [
          { index: delta.index, id: delta.id, type: 'function', function: { name: delta.name, arguments: '' } },
        ],
      };
    case 'arguments':
      return { tool_calls: [{ index: delta.index, function: { arguments: delta.text } }] };
  }
}
