import { randomUUID } from 'node:crypto';
import type { AnsweredCall, AnswerEnd, ChatAnswer, ChatRequest } from '@phaseline/domain';
import type { ModelProfile } from '../profile/model-profile.js';
import { wellFormed } from '../wire/well-formed.js';
import { readFinishReason } from './answer-end.js';
import { parseArguments, unfinishedArguments } from './call-arguments.js';
import { toolNameOf } from './call-name.js';
import type { FoldedAnswer } from './fold-chunks.js';
import type { PartialCall } from './fold-calls.js';
import { rescueTextCalls } from './rescue-text-calls.js';
import { completeUsage } from './usage.js';

export interface AnswerContext {
  readonly request: ChatRequest;
  readonly profile: Pick<ModelProfile, 'textCallRescue'>;
  readonly countTokens: (text: string) => number;
  /** Tokens of the request, counted only when the server did not. */
  readonly countInput: () => number;
  /** The most tokens that the request can have taken. */
  readonly mostInput: () => number;
  /** The bound of the answer that was sent with the request. */
  readonly reservedOutput: number;
}

/** An answer as the rest of the system takes it, out of what the server sent. */
export function toChatAnswer(folded: FoldedAnswer, context: AnswerContext): ChatAnswer {
  const { request, profile, countTokens } = context;
  const wireEnd = folded.complete ? readFinishReason(folded.finishReason) : 'cut';
  const finished = wireEnd === 'normal';
  const rescued =
    finished && profile.textCallRescue && folded.calls.length === 0
      ? rescueTextCalls(folded.content, request.tools)
      : folded;
  const calls = answeredCalls(rescued.calls, finished, request);
  const usage = completeUsage(
    folded.usage,
    { input: context.countInput, output: () => countOutput(folded, countTokens), passed: folded.passed },
    {
      input: context.mostInput,
      // Reasoning that is not sent counts as well, so the bytes that came are no bound where less than the reservation came.
      output: () => Math.max(context.reservedOutput, receivedBytes(folded)),
    },
  );
  return {
    content: wellFormed(rescued.content),
    ...(folded.reasoning === '' ? {} : { reasoning: wellFormed(folded.reasoning) }),
    calls,
    end: endOf(wireEnd, calls),
    usage,
  };
}

function endOf(wireEnd: ReturnType<typeof readFinishReason>, calls: readonly AnsweredCall[]): AnswerEnd {
  if (wireEnd === 'normal') return calls.length > 0 ? 'calls' : 'stop';
  return wireEnd === 'failed' ? 'cut' : wireEnd;
}

function answeredCalls(
  calls: readonly PartialCall[],
  finished: boolean,
  request: ChatRequest,
): readonly AnsweredCall[] {
  const offered = new Set(request.tools.map((tool) => tool.name));
  const taken = new Set(
    request.messages
      .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
      .map((call) => call.id),
  );
  return calls.map((call) => {
    const id = uniqueId(wellFormed(call.id), taken);
    taken.add(id);
    return {
      id,
      name: wellFormed(toolNameOf(call.name, offered)),
      arguments: finished ? parseArguments(call) : unfinishedArguments(call),
    };
  });
}

/** The server's id where it can tell this call from all others of the conversation, else a new one. */
function uniqueId(given: string, taken: ReadonlySet<string>): string {
  return given === '' || taken.has(given) ? `call_${randomUUID().replaceAll('-', '')}` : given;
}

function countOutput(folded: FoldedAnswer, countTokens: (text: string) => number): number {
  return textsOf(folded).reduce((sum, text) => sum + (text === '' ? 0 : countTokens(text)), 0);
}

/** No token stands for less than a byte. */
function receivedBytes(folded: FoldedAnswer): number {
  return textsOf(folded).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function textsOf(folded: FoldedAnswer): readonly string[] {
  return [
    folded.content,
    folded.reasoning,
    ...folded.calls.flatMap((call) => [call.name, call.text || valueText(call.value)]),
  ];
}

function valueText(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
