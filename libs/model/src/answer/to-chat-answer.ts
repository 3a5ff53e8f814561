import { toWellFormedText } from '@phaseline/basics';
import { randomUUID } from 'node:crypto';
import type { AnsweredCall, AnswerEnd, ChatAnswer, ChatRequest, CallId } from '@phaseline/contracts';
import type { ModelProfile } from '../profile/model-profile.js';
import { readFinishReason } from './answer-end.js';
import { parseArguments, toUnfinishedArguments } from './call-arguments.js';
import { resolveToolName } from './resolve-tool-name.js';
import type { FoldedAnswer } from './fold-chunks.js';
import type { PartialCall } from './fold-calls.js';
import { rescueTextCalls } from './rescue-text-calls.js';
import { completeUsage } from './usage.js';

export interface AnswerContext {
  readonly request: ChatRequest;
  readonly profile: Pick<ModelProfile, 'textCallRescue'>;
  readonly countTokens: (text: string) => number;
  /** Counts the tokens of the request; called only if the server sent no usable count. */
  readonly countInputTokens: () => number;
  /** Returns the maximum number of tokens that the request can have used. */
  readonly boundInputTokens: () => number;
  /** Output limit in tokens that was sent with the request. */
  readonly reservedOutputTokens: number;
}

/** Converts a folded answer into the `ChatAnswer` that the rest of the system uses. */
export function toChatAnswer(folded: FoldedAnswer, context: AnswerContext): ChatAnswer {
  const { request, profile, countTokens } = context;
  const wireEnd = folded.complete ? readFinishReason(folded.finishReason) : 'truncated';
  const finished = wireEnd === 'normal';
  const rescued =
    finished && profile.textCallRescue && folded.calls.length === 0
      ? rescueTextCalls(folded.content, request.tools)
      : folded;
  const calls = toAnsweredCalls(rescued.calls, finished, request);
  const usage = completeUsage(
    folded.usage,
    {
      input: context.countInputTokens,
      output: () => countOutput(folded, countTokens),
      exceededLimitTokens: folded.exceededLimitTokens,
    },
    {
      input: context.boundInputTokens,
      // Hidden reasoning is charged as well, so the received bytes alone are not an upper bound.
      output: () => Math.max(context.reservedOutputTokens, countReceivedBytes(folded)),
    },
  );
  return {
    content: toWellFormedText(rescued.content),
    ...(folded.reasoning === '' ? {} : { reasoning: toWellFormedText(folded.reasoning) }),
    calls,
    end: toAnswerEnd(wireEnd, calls),
    usage,
  };
}

function toAnswerEnd(wireEnd: ReturnType<typeof readFinishReason>, calls: readonly AnsweredCall[]): AnswerEnd {
  if (wireEnd === 'normal') return calls.length > 0 ? 'calls' : 'stop';
  return wireEnd === 'failed' ? 'truncated' : wireEnd;
}

function toAnsweredCalls(
  calls: readonly PartialCall[],
  finished: boolean,
  request: ChatRequest,
): readonly AnsweredCall[] {
  const offered = new Set(request.tools.map((tool) => tool.name));
  const usedIds = new Set(
    request.messages
      .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
      .map((call) => call.id),
  );
  return calls.map((call) => {
    const id = toUniqueId(toWellFormedText(call.id), usedIds);
    usedIds.add(id);
    return {
      id,
      name: toWellFormedText(resolveToolName(call.name, offered)),
      arguments: finished ? parseArguments(call) : toUnfinishedArguments(call),
    };
  });
}

/** Returns the server's id if it is unique in the conversation, otherwise a new one. */
function toUniqueId(given: string, usedIds: ReadonlySet<CallId>): CallId {
  return given === '' || usedIds.has(given) ? `call_${randomUUID().replaceAll('-', '')}` : given;
}

function countOutput(folded: FoldedAnswer, countTokens: (text: string) => number): number {
  return listTexts(folded).reduce((sum, text) => sum + (text === '' ? 0 : countTokens(text)), 0);
}

/** Counts the received bytes, an upper bound of the tokens: every token has at least one byte. */
function countReceivedBytes(folded: FoldedAnswer): number {
  return listTexts(folded).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function listTexts(folded: FoldedAnswer): readonly string[] {
  return [
    folded.content,
    folded.reasoning,
    ...folded.calls.flatMap((call) => [call.name, call.text || toText(call.value)]),
  ];
}

function toText(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
